import { isIP } from 'node:net';
import { inputError } from '../../core/errors.js';

export interface ListenAddress {
  host: string;
  port: number;
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|::1|localhost)$/;

/** Whether only this machine reaches an address. */
export const isLoopback = ({ host }: ListenAddress): boolean => LOOPBACK.test(host);

/**
 * `127.0.0.1:8443`, `[::]:8443`, `localhost:0`: an address of this machine, with port 0 for a free one.
 *
 * @throws inputError `bad-arguments`
 */
export function parseListenAddress(text: string): ListenAddress {
  const [, bracketed, plain, digits = ''] = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain ?? '';
  const port = Number(digits);
  const isAddress = bracketed !== undefined ? isIP(bracketed) === 6 : isIP(host) === 4 || host === 'localhost';
  if (isAddress && port <= 65_535) return { host, port };
  throw inputError({
    code: 'bad-arguments',
    what: 'read --listen',
    on: text.slice(0, 100),
    why: 'it is not an address of this machine with a port',
    hint: 'write 127.0.0.1:8443, 0.0.0.0:8443 or [::]:8443',
  });
}
