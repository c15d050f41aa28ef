import { promisify } from 'node:util';
import { gunzip, gunzipSync, gzip } from 'node:zlib';

const [zip, unzip] = [promisify(gzip), promisify(gunzip)];
/** Fewer packed bytes are unpacked at once: to hand them to another thread takes longer than the work. */
const FEW = 16 * 1024;

/** Packs a value as bytes, which stores seal: stored data are repetitive. */
export const packJson = (value: unknown): Promise<Buffer> => zip(JSON.stringify(value));

/** Returns the value that `packJson` packed. */
export const unpackJson = async <T>(bytes: Uint8Array): Promise<T> =>
  JSON.parse((bytes.length < FEW ? gunzipSync(bytes) : await unzip(bytes)).toString('utf8')) as T;
