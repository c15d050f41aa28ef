import type { GroupService } from './group-service.js';
import { kafka } from './kafka.js';
import { nats } from './nats.js';
import { zookeeper } from './zookeeper.js';

/** Each plays the same story on three hosts (`test/end-to-end/group-services.test.ts`). The next service is a row. */
export const GROUP_SERVICES: readonly GroupService[] = [...kafka, nats, zookeeper];
