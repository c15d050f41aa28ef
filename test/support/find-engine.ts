import { messageOf } from '../../core/errors.js';
import { cacheOf } from '../../home/home.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';

/** Finds or builds one engine before any test starts an engine. The tests then find it at its path. */
export async function setup(): Promise<void> {
  let said = 0;
  const report = ({ text }: { text: string }) => {
    if (Date.now() - said < 10_000) return;
    said = Date.now();
    console.log(`engine: ${text}`);
  };
  await findBinary({ env: process.env, cache: cacheOf() }, report).catch((error: unknown) => {
    // The tests that need an engine fail with this reason.
    console.warn(`no engine for the tests: ${messageOf(error)}`);
  });
}
