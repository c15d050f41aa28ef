import type { EngineRecord } from '../../core/engine/engine.js';
import { messageOf } from '../../core/errors.js';

/** How often the record of the engine is read, in milliseconds. */
const LOOK_MS = 2_000;

/** What a connection to an engine depends on: with another value of it, another connection is needed. */
const identify = ({ kind, address, namespace, taskQueue, deployment, certificates, worker }: EngineRecord): string =>
  JSON.stringify([kind, address, namespace, taskQueue, deployment, certificates, worker?.build]);

export interface Follower<T> {
  /** What was made with the record as it was read last. */
  current(): T;
  /** Reads the record no more, and closes what is current. */
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
 * Makes something again if another engine is recorded, such as one that started under another address. What was
 * current stays so until then, and is closed afterwards. If it cannot be made, it is tried again at the next look.
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
