import { messageOf } from '../../../core/errors.js';
import { bridgeAddress } from '../../support/bridge-address.js';
import { packJars } from '../../support/mirror/jars.js';
import { serveMirror, sha256Of } from '../../support/mirror/mirror.js';
import { KAFKA_CLIENT, KAFKA_FOLDER, KAFKA_JARS } from '../kafka-client.js';
import { type GroupService, makeCertificates, runPython } from './group-service.js';

const MEMBERS = ['a', 'b', 'c'];

/** Serves an archive like the vendor's for as long as the process runs. */
async function serveArchive(): Promise<{ url: string; sha256: string }> {
  const archive = await packJars(KAFKA_FOLDER, KAFKA_JARS);
  const server = await serveMirror(new Map([['/kafka.tgz', archive]]), { keepsAlive: false });
  return { url: `http://${await bridgeAddress()}:${server.port}/kafka.tgz`, sha256: sha256Of(archive) };
}

const createRow = (artifact: { url: string; sha256: string }): GroupService => ({
  name: 'kafka',
  unit: 'kafka',
  config: {
    ...{ cluster: 'main', tls: makeCertificates('kafka', MEMBERS), peerTls: makeCertificates('kafka-peers', MEMBERS) },
    ...{ heap: '192 MiB', createTopics: true, artifact },
  },
  change: { retention: '30 d' },
  changed: { shown: 'grep ^log.retention.ms /etc/kafka/server.properties', is: 'log.retention.ms=2592000000' },
  write: (key, value) => runPython(KAFKA_CLIENT, '"$(hostname):9092"', 'tls', 'put', 't', key, value),
  read: (keys) => runPython(KAFKA_CLIENT, '"$(hostname):9092"', 'tls', 'get', 't', ...keys),
});

/** Kafka, or nothing if its libraries cannot be had. */
export const kafka: readonly GroupService[] = await serveArchive().then(
  (artifact) => [createRow(artifact)],
  (error: unknown) => {
    console.warn(`left out: kafka: ${messageOf(error)}`);
    return [];
  },
);
