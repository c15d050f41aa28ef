import { DefaultFailureConverter } from '@temporalio/common';

/** Puts messages and stack traces of failures into a payload, which is then encrypted as all others are. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
