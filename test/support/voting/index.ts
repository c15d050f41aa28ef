import type { VotingService } from '../voting-model.js';
import { kafkaModel } from './kafka.js';
import { keyValueModel } from './key-value.js';
import { mariadbModel } from './mariadb.js';
import { natsModel } from './nats.js';
import { rabbitmqModel } from './rabbitmq.js';
import { vaultModel } from './vault.js';
import { zookeeperModel } from './zookeeper.js';

/** Services whose members decide by majority, as the model plays them. */
export const VOTING_SERVICES: readonly VotingService[] = [
  kafkaModel,
  keyValueModel,
  mariadbModel,
  natsModel,
  rabbitmqModel,
  vaultModel,
  zookeeperModel,
];
