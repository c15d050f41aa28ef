import { sh } from '../../sdk/index.js';

/** A node that is gone with the session that made it. */
const NODE = '/provisioning-health';
const DATA = 'received\n';

const number = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0');
const text = (value: string): string => number(value.length, 4) + [...value].map((one) => number(one.charCodeAt(0), 1)).join('');
const packet = (content: string): string => number(content.length / 2, 4) + content;

const CLOSE_SESSION = 'fffffff5';
const EPHEMERAL = number(1, 4);
const ANYONE_MAY_ALL = number(1, 4) + number(31, 4) + text('world') + text('anyone');

/** A session, a node that is made in it and read, and the end of the session, in the protocol of ZooKeeper. */
const REQUESTS = [
  number(0, 12) + number(10_000, 4) + number(0, 8) + number(16, 4) + number(0, 16) + number(0, 1),
  number(1, 4) + number(1, 4) + text(NODE) + text(DATA) + ANYONE_MAY_ALL + EPHEMERAL,
  number(2, 4) + number(4, 4) + text(NODE) + number(0, 1),
  number(3, 4) + CLOSE_SESSION,
].map(packet);

/**
 * Makes a node and reads it; prints `received`.
 *
 * @param address on which the server listens
 */
export const writesAndReads = (address: string, port: number): string =>
  `${sh`exec 3<>/dev/tcp/${address}/${port}`}
printf '${REQUESTS.join('').replaceAll(/../g, '\\x$&')}' >&3
timeout 5 grep -ao received <&3`;
