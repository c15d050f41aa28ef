import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** What ssh may ask of an agent here. */
export interface AgentKey {
  /** The public key, as SSH writes it. */
  public: Buffer;
  comment: string;
  /** Signs data by this key. @returns the signature as SSH writes it */
  sign(data: Buffer): Promise<Buffer>;
}

const FAILURE = 5;
const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const SIGN_REQUEST = 13;
const SIGN_RESPONSE = 14;

/** Bytes of a message that are taken, as OpenSSH's own agent does. */
const MOST_MESSAGE = 256 * 1024;

/**
 * An agent for ssh on a unix socket: it lists one key and hands on what is to be signed. Everything else that an agent may be
 * asked fails, such as adding keys. ssh2 has an agent too, but it reads the content of a message that it does not know as the
 * next message, and OpenSSH begins with such a one (`session-bind@openssh.com`).
 *
 * @param path of the socket; its folder is private
 * @returns what closes it, connections included
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

/** Answers one message after another. @throws for what is no message */
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

/** The answer to a message, without its length. A failure says no more than that: ssh has no place for a reason. */
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

/** Bytes as SSH writes them: their count first. */
function writeBytes(bytes: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(bytes.length);
  return Buffer.concat([size, bytes]);
}
