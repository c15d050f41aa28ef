import type { SignRequest } from '../../app/logins/sign-request.js';

/** Formats bytes for SSH, with their count first. A text has one byte per character. */
export function bytesOf(content: Buffer | string): Buffer {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}

/** Further fields of a request. */
interface More {
  sessionId?: Buffer;
  type?: number;
  service?: string;
  method?: string;
  signs?: number;
}

/**
 * Returns the data that an SSH client signs to log in (RFC 4252, section 7). With a host key, it is OpenSSH's
 * hostbound form.
 */
export function writeRequest({ user, algorithm, key, hostKey }: SignRequest, more: More = {}): Buffer {
  const { sessionId = Buffer.alloc(32, 1), type = 50, service = 'ssh-connection', signs = 1 } = more;
  const { method = hostKey ? 'publickey-hostbound-v00@openssh.com' : 'publickey' } = more;
  return Buffer.concat([
    bytesOf(sessionId),
    Buffer.of(type),
    bytesOf(user),
    bytesOf(service),
    bytesOf(method),
    Buffer.of(signs),
    bytesOf(algorithm),
    bytesOf(key),
    ...(hostKey ? [bytesOf(hostKey)] : []),
  ]);
}
