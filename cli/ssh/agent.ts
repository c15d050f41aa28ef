import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** Key that the agent offers to ssh. */
export interface AgentKey {
  /** Public key in the format of SSH. */
  public: Buffer;
  comment: string;
  /**
   * Signs data with this key.
   *
   * @returns the signature in the format of SSH
   */
  sign(data: Buffer): Promise<Buffer>;
}

const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;

/** Maximum bytes of a message, as in OpenSSH's own agent. */
const MOST_MESSAGE = 256 * 1024;

/**
 * Serves an SSH agent on a unix socket. It lists one key and forwards signing requests. All other requests fail, such
 * as adding keys. The agent of ssh2 is not usable: it parses the content of an unknown message as the next message.
 * OpenSSH sends such a message first (`session-bind@openssh.com`).
 *
 * @param path of the socket; its folder is private
 * @returns a function that closes it, including connections
 */
export async function serveAgent(path: string, key: AgentKey): Promise<() => void> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    answerAll(socket, key).catch(() => socket.destroy());
  });
  server.listen(path);
  await once(server, 'listening');
  server.on('error', () => {});
  return () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
}

/**
 * Answers one message after another.
 *
 * @throws for an invalid message
 */
async function answerAll(socket: Socket, key: AgentKey): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 4) {
      const size = rest.readUInt32BE();
      if (size === 0 || size > MOST_MESSAGE) throw new Error(`a message of ${size} bytes`);
      if (rest.length < 4 + size) break;
      const message = rest.subarray(4, 4 + size);
      rest = rest.subarray(4 + size);
      socket.write(writeBytes(await answerMessage(message, key)));
    }
  }
}

/** Returns the answer to a message, without its length. A failure has no reason: the protocol has no field for it. */
export async function answerMessage(message: Buffer, key: AgentKey): Promise<Buffer> {
  try {
    if (message[0] === REQUEST_IDENTITIES) {
      const count = Buffer.alloc(4);
      count.writeUInt32BE(1);
      return Buffer.concat([Buffer.of(IDENTITIES_ANSWER), count, writeBytes(key.public), writeBytes(Buffer.from(key.comment))]);
    }
    const asked = message[0] === SIGN_REQUEST ? readBytes(message, 1) : undefined;
    if (!asked?.bytes.equals(key.public)) return Buffer.of(FAILURE);
    const { bytes: data } = readBytes(message, asked.end);
    return Buffer.concat([Buffer.of(SIGN_RESPONSE), writeBytes(await key.sign(data))]);
  } catch {
    return Buffer.of(FAILURE);
  }
}

function readBytes(message: Buffer, at: number): { bytes: Buffer; end: number } {
  const end = at + 4 + message.readUInt32BE(at);
  if (end > message.length) throw new Error('a message that is cut off');
  return { bytes: message.subarray(at + 4, end), end };
}

/** Formats bytes for SSH, with their count first. */
function writeBytes(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
