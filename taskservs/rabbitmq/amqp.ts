import { type SecretRef, sh, type Text } from '../../sdk/index.js';

/** Queue of the check. It is removed with its connection. */
const QUEUE = 'provisioning.health';

const hex = (text: string): string => [...new TextEncoder().encode(text)].map((byte) => number(byte, 1)).join('');
const number = (value: number, bytes: number): string => value.toString(16).padStart(bytes * 2, '0');
const word = (text: string): string => number(new TextEncoder().encode(text).length, 1) + hex(text);

/** A frame of AMQP 0-9-1 in hexadecimal digits. */
const frame = (type: number, channel: number, payload: string): string =>
  number(type, 1) + number(channel, 2) + number(payload.length / 2, 4) + payload + number(0xce, 1);

const method = (channel: number, group: number, id: number, rest: string): string =>
  frame(1, channel, number(group, 2) + number(id, 2) + rest);

/** A message that is published and got back, in the frames that follow a login. */
function publishAndGet(vhost: string): string {
  const message = hex('received\n');
  return [
    method(0, 10, 31, '0001' + '00020000' + '0000'),
    method(0, 10, 40, `${word(vhost)}0000`),
    method(1, 20, 10, '00'),
    method(1, 50, 10, `0000${word(QUEUE)}0c00000000`),
    method(1, 60, 40, `000000${word(QUEUE)}00`),
    frame(2, 1, `003c0000${number(message.length / 2, 8)}0000`),
    frame(3, 1, message),
    method(1, 60, 70, `0000${word(QUEUE)}01`),
  ].join('');
}

/**
 * Publishes a message in a vhost and gets it back, as an account; prints `received`. The password is in no argument.
 *
 * @param address on which the server listens
 */
export function passesMessage(address: string, port: number, vhost: string, user: string): string {
  // The password replaces each X with its digits, after the length of the answer that it ends.
  const before = `000a000b00000000${word('PLAIN')}`;
  const login = hex(`\0${user}\0`);
  const after = word('en_US');
  return `LC_ALL=C
password=$(printf %s "$AMQP_PASSWORD" | od -An -v -tx1 | tr -d ' \\n')
answer=$(printf %08x $((${login.length / 2} + \${#password} / 2)))${login}$password
start=${before}\${answer}${after}
frames=414d515000000901$(printf '01%04x%08x' 0 $((\${#start} / 2)))\${start}ce${publishAndGet(vhost)}
${sh`exec 3<>/dev/tcp/${address}/${port}`}
printf "$(sed 's/../\\\\x&/g' <<<"$frames")" >&3
timeout 10 grep -aom1 received <&3`;
}

/** Asks for the greeting of the server, which begins with what it is capable of; prints `capabilities`. */
export const greets = (address: string, port: number): string =>
  `${sh`exec 3<>/dev/tcp/${address}/${port}`}
printf 'AMQP\\x00\\x00\\x09\\x01' >&3
timeout 5 head -c 60 <&3 | grep -ao capabilities`;

export const passwordOf = (password: SecretRef): Record<string, Text> => ({ AMQP_PASSWORD: [password] });
