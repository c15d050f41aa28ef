import { awaitAnswer } from '../../worked-time.js';
import type { Transport } from '../transport.js';

/**
 * The same way to a host, with signs of life that say so if it does not answer. Work that is followed has an answer with
 * its first output: its steps may be silent. A stream of data says itself how far it is.
 */
export const reportSilence = <T extends Transport>(transport: T, server: string): T => ({
  ...transport,
  async exec(script, options = {}) {
    const { onOutput, limitMs } = options;
    if (!onOutput && limitMs === undefined) return transport.exec(script, options);
    const answered = awaitAnswer(server);
    try {
      return await transport.exec(script, {
        ...options,
        ...(onOutput && {
          onOutput(chunk) {
            answered();
            onOutput(chunk);
          },
        }),
      });
    } finally {
      answered();
    }
  },
});
