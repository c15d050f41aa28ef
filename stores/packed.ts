import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

const [zip, unzip] = [promisify(gzip), promisify(gunzip)];

/** As bytes, which stores seal: what is kept repeats itself. */
export const packJson = (value: unknown): Promise<Buffer> => zip(JSON.stringify(value));

/** What `packJson` was given. */
export const unpackJson = async <T>(bytes: Uint8Array): Promise<T> => JSON.parse((await unzip(bytes)).toString('utf8')) as T;
