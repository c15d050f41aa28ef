import type { Proofs } from '../proof.js';

/** Agent that reports its state to the server in its file, if it has a token. */
const agent = (version: string) => `#!/usr/bin/perl
use strict; use warnings; use IO::Socket::INET;
if ($ARGV[0] eq '--version') { print "buildkite-agent version ${version}\\n"; exit }
die "no token" unless $ENV{BUILDKITE_AGENT_TOKEN};
open my $file, '<', $ARGV[2] or die "$ARGV[2]: $!";
my ($address) = map { /^health-check-addr="(.*)"/ } <$file>;
my $server = IO::Socket::INET->new(LocalAddr => $address, Listen => 5, ReuseAddr => 1) or die "$address: $!";
while (my $client = $server->accept) {
  while (my $line = <$client>) { last if $line =~ /^\\r?\\n/ }
  print $client "HTTP/1.0 200 OK\\r\\n\\r\\nOK: stand-in ${version} is running\\n";
  close $client;
}
`;

const token = { generate: 'token' };

export const ci: Proofs = {
  'buildkite-agent': {
    standIn: {},
    artifacts: {
      'buildkite-agent-linux-amd64-3.136.3.tar.gz': { script: agent('3.136.3'), as: 'buildkite-agent' },
      'buildkite-agent-linux-amd64-3.137.0.tar.gz': { script: agent('3.137.0'), as: 'buildkite-agent' },
    },
    version: '3.136.3',
    config: { token, artifact: { $artifact: 'buildkite-agent-linux-amd64-3.136.3.tar.gz' } },
    works: `curl -fsS http://127.0.0.1:3901/ | grep -c 3.136.3; [ "$(stat -c '%U %a' /etc/buildkite-agent/token.env)" = 'root 600' ]
command -v git; [ "$(systemctl show -P User buildkite-agent)" = buildkite-agent ]`,
    changed: {
      version: '3.137.0',
      config: {
        token,
        tags: ['queue=default'],
        artifact: { $artifact: 'buildkite-agent-linux-amd64-3.137.0.tar.gz' },
        statusPort: 3902,
      },
      works: `curl -fsS http://127.0.0.1:3902/ | grep -c 3.137.0; grep -cx 'tags="queue=default"' /etc/buildkite-agent/buildkite-agent.cfg`,
    },
    units: ['buildkite-agent'],
    gone: '[ ! -e /opt/buildkite-agent ]; [ ! -e /etc/buildkite-agent/token.env ]; [ -d /var/lib/buildkite-agent ]',
  },
};
