import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const [zip, unzip] = [promisify(gzip), promisify(gunzip)];

/** As bytes, which stores seal: what is kept repeats itself. */
export const packedJson = (value: unknown): Promise<Buffer> => zip(JSON.stringify(value));

/** What `packedJson` was given. */
export const unpackedJson = async <T>(bytes: Uint8Array): Promise<T> => JSON.parse((await unzip(bytes)).toString('utf8')) as T;
