import { pipeline } from 'node:stream/promises';
import { readConnection } from '../../client/http/connection.js';
import { errorText, inputError } from '../../core/errors.js';
import { exitCodeOfError } from '../../core/exit-codes.js';
import { homeOf } from '../../home/home.js';
import { detailsOf } from '../program/failure.js';
import { connectHost } from './connect-host.js';

/**
 * Proxy command of ssh if commands use an API server: connects standard input and output to the SSH port of an
 * inventory server. The API's address and token come from the active context, not from arguments.
 *
 * @param args workspace, infra and server
 * @returns the exit code
 */
export async function connectStdio([workspace = '', infra = '', server = '']: readonly string[]): Promise<number> {
  try {
    const connection = readConnection({ home: homeOf(), env: process.env });
    if (!connection) {
      const why = 'no context is active';
      throw inputError({ code: 'unknown-context', what: 'connect through the server', why, hint: 'provisioning context use NAME' });
    }
    const stream = await connectHost(connection, { workspace, infra, server });
    // The side that ends first ends both. The host's last output is written before.
    const read = pipeline(stream, process.stdout).catch(() => {});
    pipeline(process.stdin, stream).catch(() => {});
    await read;
    return 0;
  } catch (error) {
    const details = detailsOf(error);
    // The text may come from another machine, so line breaks are removed.
    process.stderr.write(`${errorText(details).replace(/\p{Cc}+/gu, ' ')}\n`);
    return exitCodeOfError(details);
  }
}
