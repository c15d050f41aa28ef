/** In the metadata of a payload, before it is encrypted: it is in no history, so that nothing of it may be kept. */
const UNKEPT = 'unkept';

interface Payload {
  metadata?: Record<string, Uint8Array> | null;
}

/** A payload that passes the codec without anything being stored, whatever its size: what a query asks, or is answered. */
export const unkept = <P extends Payload>(payload: P): P => ({
  ...payload,
  metadata: { ...payload.metadata, [UNKEPT]: Uint8Array.of(1) },
});

export const isUnkept = ({ metadata }: Payload): boolean => metadata?.[UNKEPT] != null;

/** The payload without the mark. */
export function markKept<P extends Payload>(payload: P): P {
  const { [UNKEPT]: _, ...metadata } = payload.metadata ?? {};
  return { ...payload, metadata };
}
