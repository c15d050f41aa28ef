/**
 * The result that an operation or a batch that did not end well has in the
 * details of its failure. None where it was terminated or timed out, nor where it
 * ended as canceled in Temporal: the SDK drops the details of a cancellation.
 */
export const readCarriedResult = <T>({ cause }: { cause?: unknown }): T | undefined =>
  (cause as { details?: unknown[] } | undefined)?.details?.[0] as T | undefined;
