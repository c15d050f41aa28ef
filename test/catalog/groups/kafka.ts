import { KAFKA_CLIENT, KAFKA_FOLDER, KAFKA_JARS } from '../kafka-client.js';
import { type GroupService, makeCertificates, runPython } from './group-service.js';

const MEMBERS = ['a', 'b', 'c'];

export const kafka: GroupService = {
  name: 'kafka',
  unit: 'kafka',
  artifacts: { 'kafka.tgz': { as: KAFKA_FOLDER, jars: KAFKA_JARS } },
  config: {
    ...{ cluster: 'main', tls: makeCertificates('kafka', MEMBERS), peerTls: makeCertificates('kafka-peers', MEMBERS) },
    ...{ heap: '192 MiB', createTopics: true, artifact: { $artifact: 'kafka.tgz' } },
  },
  change: { retention: '30 d' },
  changed: { shown: 'grep ^log.retention.ms /etc/kafka/server.properties', is: 'log.retention.ms=2592000000' },
  write: (key, value) => runPython(KAFKA_CLIENT, '"$(hostname):9092"', 'tls', 'put', 't', key, value),
  read: (keys) => runPython(KAFKA_CLIENT, '"$(hostname):9092"', 'tls', 'get', 't', ...keys),
};
