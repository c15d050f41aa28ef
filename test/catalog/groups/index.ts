import type { GroupService } from './group-service.js';
import { kafka } from './kafka.js';
import { mariadb } from './mariadb.js';
import { nats } from './nats.js';
import { rabbitmq } from './rabbitmq.js';
import { storeWithSentinel } from './redis.js';
import { vault } from './vault.js';
import { zookeeper } from './zookeeper.js';

/** Each is proven as a group of three hosts (`prove-group.ts`). The next service is a row. */
export const GROUP_SERVICES: readonly GroupService[] = [
  kafka,
  mariadb,
  nats,
  rabbitmq,
  storeWithSentinel('redis'),
  storeWithSentinel('valkey'),
  vault,
  zookeeper,
];
