import { DefaultFailureConverter } from '@temporalio/common';

/** Moves messages and stack traces of failures into a payload, which is then encrypted like all others. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
