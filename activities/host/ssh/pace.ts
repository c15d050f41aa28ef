import type { Readable } from 'node:stream';

/** Bytes a second that are taken of what one script prints. A step that prints without end must not take the worker's time. */
const BYTES_A_SECOND = 8 * 1024 * 1024;

/** Holds a stream back that comes faster than the worker should read it; the sender then waits, and nothing is lost. */
export function createPacer(stream: Readable, bytesASecond = BYTES_A_SECOND): (length: number) => void {
  let began = 0;
  let taken = 0;
  return (length) => {
    const now = performance.now();
    if (now - began >= 1_000) {
      began = now;
      taken = 0;
    }
    taken += length;
    if (taken < bytesASecond || stream.isPaused()) return;
    stream.pause();
    setTimeout(() => stream.resume(), Math.max(1, 1_000 - (now - began)));
  };
}
