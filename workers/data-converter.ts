import { join } from 'node:path';
import type { DataConverter, PayloadCodec } from '@temporalio/common';

/**
 * Creates the converter of a worker's data in Temporal. Replays of a history need the same one.
 *
 * @param dist folder of the built code
 */
export const createDataConverter = (codec: PayloadCodec, dist: string): DataConverter => ({
  payloadCodecs: [codec],
  failureConverterPath: join(dist, 'failure-converter.cjs'),
});
