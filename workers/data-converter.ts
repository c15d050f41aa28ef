import { join } from 'node:path';
import type { DataConverter, PayloadCodec } from '@temporalio/common';

/** How a worker reads and writes what Temporal keeps; replaying a history takes the same. @param dist folder of the built code */
export const createDataConverter = (codec: PayloadCodec, dist: string): DataConverter => ({
  payloadCodecs: [codec],
  failureConverterPath: join(dist, 'failure-converter.cjs'),
});
