import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

/**
 * Has Temporal's native library report only errors. A process installs it once, and may have played another test file
 * that uses it.
 */
export function useNativeRuntime(): void {
  try {
    Runtime.install({ logger: new DefaultLogger('ERROR', () => {}) });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
  }
}
