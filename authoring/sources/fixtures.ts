import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';

/** For tests: a server on loopback with its received requests. */
export interface TestServer {
  url: string;
  /** Connections that were opened. */
  connections(): number;
  /** Requested paths. */
  asked: string[];
  close(): Promise<void>;
}

/** For tests: starts a server that answers with `answer`, or accepts connections and stays silent. */
export async function testServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void = () => {},
): Promise<TestServer> {
  const asked: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server: Server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', (socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

/** For tests: starts a server from which the repositories of a folder can be fetched. */
export const gitServer = (folder: string): Promise<TestServer> =>
  testServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const [, repository = '', isRefs] = /^(.*?)(?:(\/info\/refs)|\/git-upload-pack)$/.exec(pathname) ?? [];
    const body: Buffer[] = [];
    request.on('data', (part: Buffer) => void body.push(part));
    request.on('end', () => {
      const env = { ...process.env, GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') };
      const args = ['upload-pack', '--stateless-rpc', ...(isRefs ? ['--advertise-refs'] : []), join(folder, repository)];
      const { stdout } = spawnSync('git', args, { input: Buffer.concat(body), env, maxBuffer: 64 * 1024 * 1024 });
      const kind = isRefs ? 'advertisement' : 'result';
      response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` });
      response.end(Buffer.concat([Buffer.from(isRefs ? '001e# service=git-upload-pack\n0000' : ''), stdout]));
    });
  });

/** For tests: a repository with one commit. */
export class TestRepository {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.git('init', '-q', '-b', 'main');
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.folder, ...args], { encoding: 'utf8' }).trim();
  }

  put(path: string, content: string | Buffer): this {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
    return this;
  }

  /** Adds a submodule whose repository does not exist. */
  submodule(path: string): this {
    this.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},${path}`);
    return this;
  }

  /**
   * Creates a tree with another tree as its only folder.
   *
   * @returns the id of the tree
   */
  tree(below: string, name: string): string {
    const input = `040000 tree ${below}\t${name}\n`;
    return execFileSync('git', ['-C', this.folder, 'mktree'], { input, encoding: 'utf8' }).trim();
  }

  /** @returns the id of the commit */
  commit(): string {
    // Without --all, which would treat submodules without a folder as deleted.
    this.git('add', '--ignore-removal', '.');
    this.git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'a commit');
    return this.git('rev-parse', 'HEAD');
  }
}
