import type { EngineRecord } from '../../core/engine/engine.js';
import { messageOf } from '../../core/errors.js';

/** How often the record of the engine is read, in milliseconds. */
const LOOK_MS = 2_000;

/** Returns the parts of a record that a connection depends on: if they change, another connection is needed. */
const identify = ({ kind, address, namespace, taskQueue, deployment, certificates, worker }: EngineRecord): string =>
  JSON.stringify([kind, address, namespace, taskQueue, deployment, certificates, worker?.build]);

export interface Follower<T> {
  /** Returns the object for the record that was read last. */
  current(): T;
  /** Stops reading the record, and closes the current object. */
  close(): Promise<void>;
}

export interface FollowOptions<T> {
  record: EngineRecord;
  made: T;
  /** Reads the record; undefined while no engine is recorded. */
  read(): Promise<EngineRecord | undefined>;
  make(record: EngineRecord): Promise<T>;
  close(made: T): Promise<void>;
  log(line: string): void;
  /** Milliseconds. Default: 2,000. */
  everyMs?: number;
}

/**
 * Creates an object again if another engine is recorded, such as one that started at another address. The former
 * object stays current until then, and is closed afterwards. A failed creation is retried at the next look.
 */
export function followRecord<T>({ record, made, read, make, close, log, everyMs = LOOK_MS }: FollowOptions<T>): Follower<T> {
  let known = identify(record);
  let current = made;
  let failed = '';
  let looking: Promise<void> | undefined;
  let isClosed = false;

  async function look(): Promise<void> {
    const now = await read();
    if (!now || identify(now) === known || isClosed) return;
    try {
      const next = await make(now);
      const former = current;
      [known, current, failed] = [identify(now), next, ''];
      log(`connected to the engine at ${now.address}`);
      await close(former).catch(() => {});
    } catch (error) {
      const why = messageOf(error);
      if (why !== failed) log(`cannot connect to the engine at ${now.address}: ${why}`);
      failed = why;
    }
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
  }, everyMs);
  timer.unref();
  return {
    current: () => current,
    async close() {
      isClosed = true;
      clearInterval(timer);
      await looking;
      await close(current);
    },
  };
}
