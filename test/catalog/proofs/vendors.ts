import type { Proofs, StandInPackage } from '../proof.js';

/** Program that answers on the port in its file, and reports that it is sealed. */
const program = (version: string) => `#!/usr/bin/perl
use strict; use warnings; use IO::Socket::INET;
my $command = shift @ARGV;
if ($command eq 'status') {
  my ($address) = map { m{^-address=https?://(.*)} } @ARGV;
  IO::Socket::INET->new(PeerAddr => $address) or exit 1;
  print "Sealed true\\n";
  exit 2;
}
open my $file, '<', '/etc/vault.d/vault.hcl' or die $!;
my ($address) = map { /^  address = "(.*)"/ } <$file>;
my $server = IO::Socket::INET->new(LocalAddr => $address, Listen => 5, ReuseAddr => 1) or die "$address: $!";
while (my $client = $server->accept) {
  my $asked = <$client>;
  print $client "HTTP/1.0 200 OK\\r\\n\\r\\nstand-in ${version}\\n";
  close $client;
}
`;

const vault = (version: string): StandInPackage => ({
  name: 'vault',
  version: `${version}-1`,
  files: {
    'usr/bin/vault': { content: program(version), executable: true },
    'lib/systemd/system/vault.service': {
      content: `[Unit]
Description=stand-in for vault
ConditionFileNotEmpty=/etc/vault.d/vault.hcl
[Service]
User=vault
Group=vault
ExecStart=/usr/bin/vault server -config=/etc/vault.d/vault.hcl
[Install]
WantedBy=multi-user.target
`,
    },
  },
  postinst: `getent passwd vault >/dev/null || useradd --system --home-dir /etc/vault.d --shell /bin/false vault
install -d -o vault -g vault /etc/vault.d /opt/vault/data
systemctl daemon-reload`,
});

/** Package that no vendor's repository may provide. */
const cron: StandInPackage = { name: 'cron', version: '99-1', files: {} };

export const vendors: Proofs = {
  vault: {
    standIn: {
      repository: {
        uri: 'https://apt.releases.hashicorp.com',
        suite: 'bookworm',
        component: 'main',
        packages: [vault('1.21.4'), vault('2.0.4'), cron],
      },
    },
    version: '1.21',
    config: {},
    works: `curl -fsS http://127.0.0.1:8200/v1/sys/health | grep -c 'stand-in 1.21.4'
[ "$(stat -c '%U:%G %a' /etc/vault.d/vault.hcl)" = 'root:vault 640' ]
apt-cache policy cron | grep -c 'Candidate: 3'`,
    changed: {
      version: '2.0',
      config: { port: 8300 },
      works: `curl -fsS http://127.0.0.1:8300/v1/sys/health | grep -c 'stand-in 2.0.4'
[ "$(dpkg-query -W -f '\${Version}' vault)" = 2.0.4-1 ]`,
    },
    units: ['vault'],
    gone: `[ ! -e /etc/apt/sources.list.d/hashicorp.sources ]; [ ! -e /etc/apt/keyrings/hashicorp.asc ]; [ ! -e /etc/apt/preferences.d/hashicorp ]
[ -d /opt/vault/data ]; [ -z "$(ls /var/lib/apt/lists | grep _dists_ | grep -v '^deb\\.debian' || true)" ]`,
  },
};
