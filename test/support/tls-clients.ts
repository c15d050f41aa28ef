import type { HostShell } from './hosts.js';

/** TLS endpoint of a service, with its preceding protocol: as openssl names it, or the greeting of nats. */
export interface SpeaksTls {
  port: number;
  first?: 'postgres' | 'mysql' | 'nats';
}

/** Asks `IP:PORT` as `NAME`, and knows the authority of `FILE`. Prints the serial of a certificate that is right. */
const CLIENT = `import os, socket, ssl, struct, sys, time
file, ip, name, port, first = sys.argv[1:6]
def line(of):
    text = b''
    while not text.endswith(b'\\n'):
        byte = of.recv(1)
        if not byte: sys.exit('the connection is over')
        text += byte
    return text
plain = socket.create_connection((ip, int(port)), 5)
if first == 'nats': line(plain)
if first == 'postgres':
    plain.sendall(struct.pack('!II', 8, 80877103))
    if plain.recv(1) != b'S': sys.exit('no TLS')
if first == 'mysql':
    plain.recv(4096)
    plain.sendall(bytes([32, 0, 0, 1]) + struct.pack('<IIB23x', 0x8aa00, 1 << 24, 45))
tls = ssl.create_default_context(cafile=file).wrap_socket(plain, server_hostname=name)
print(tls.getpeercert()['serialNumber'], flush=True)
if len(sys.argv) > 6:
    hello, ping, go = sys.argv[6:]
    def pong():
        tls.sendall((ping + '\\r\\n').encode())
        while b'PONG' not in line(tls): pass
        print('PONG', flush=True)
    tls.sendall((hello + '\\r\\n').encode())
    pong()
    while not os.path.exists(go): time.sleep(0.1)
    pong()
`;

/** Clients on a host that connect to a server by a name in its certificates. */
export class TlsClients {
  constructor(
    private readonly host: HostShell,
    private readonly server: { ip: string; name: string },
  ) {}

  /** Installs them, with a trusted authority and another one. */
  async install(packages: readonly string[], root: string): Promise<void> {
    const { ip, name } = this.server;
    await this.host(`export DEBIAN_FRONTEND=noninteractive
apt-get install -y -qq --no-install-recommends python3 ${packages.join(' ')} >/dev/null 2>&1
echo '${ip} ${name}' >>/etc/hosts
printf '%s\\n' '${root}' >/srv/root.pem
openssl req -x509 -newkey rsa:2048 -nodes -keyout /dev/null -out /srv/other.pem -subj /CN=other -days 2 2>/dev/null
cat >/srv/client.py <<'END'
${CLIENT}END`);
  }

  /** Returns the serial number of the served certificate, or the reason why a client with this authority rejects it. */
  serial(at: SpeaksTls, authority: 'root' | 'other' = 'root'): Promise<string> {
    return this.host(`{ ${this.command(at, authority)} 2>&1 || true; } | tail -n 1`);
  }

  /** Keeps a connection open that sends `PING` and expects `PONG`: now, and once more after `let`. */
  async hold(of: string, at: SpeaksTls, hello: string): Promise<void> {
    const asked = this.command(at, 'root', hello, 'PING', '/srv/go');
    await this.host(`systemd-run --quiet --unit held-${of} bash -c ${quoted(`${asked} >/srv/held-${of} 2>&1`)}
for _ in $(seq 300); do grep PONG /srv/held-${of} && exit; sleep 0.1; done; cat /srv/held-${of} >&2; exit 1`);
  }

  /** Makes all open connections send once more. */
  let = (): Promise<string> => this.host('touch /srv/go');

  /** Returns the number of answers on an open connection. */
  answersOf = async (of: string): Promise<number> => Number(await this.host(`grep -c PONG /srv/held-${of} || true`));

  private command({ port, first }: SpeaksTls, authority: string, ...more: string[]): string {
    const { ip, name } = this.server;
    const words = [`/srv/${authority}.pem`, ip, name, String(port), first ?? '-', ...more];
    return `python3 /srv/client.py ${words.map(quoted).join(' ')}`;
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
