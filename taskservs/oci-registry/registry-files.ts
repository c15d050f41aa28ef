import { askAt, type ListenAddress, MANAGED_FILE_HEADER, type SecretRef, secretAs, type Text, text } from '../../sdk/index.js';

export interface RegistryConfig {
  port: number;
  metricsPort: number;
  users: { name: string; password: SecretRef }[];
  tls?: { certificate: SecretRef; key: SecretRef } | undefined;
  storagePath?: string | undefined;
  deletion: boolean;
}

const FOLDER = '/etc/docker/registry';
const HTPASSWD = '/run/docker-registry/htpasswd';

export const PATHS = {
  conf: `${FOLDER}/config.yml`,
  accounts: `${FOLDER}/accounts`,
  certificate: `${FOLDER}/certificate.pem`,
  key: `${FOLDER}/key.pem`,
  script: `${FOLDER}/htpasswd.pl`,
};

/** Folder of the images that the host already has. In another folder they would seem lost. */
export const storageOf = ({ storagePath }: Pick<RegistryConfig, 'storagePath'>, former = ''): string =>
  storagePath ??
  /(?:^|[{,]) *"?rootdirectory"? *: *["']?((?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+)["']? *[,}]?$/m.exec(former)?.[1] ??
  '/var/lib/docker-registry';

/** The content of config.yml, in JSON, which YAML has within it. */
export function configYml(config: RegistryConfig, listening: ListenAddress, storagePath: string): string {
  const address = listening === 'all' ? '0.0.0.0' : askAt(listening);
  const content = {
    version: '0.1',
    storage: {
      cache: { blobdescriptor: 'inmemory' },
      filesystem: { rootdirectory: storagePath },
      delete: { enabled: config.deletion },
    },
    http: {
      addr: `${address}:${config.port}`,
      headers: { 'X-Content-Type-Options': ['nosniff'] },
      ...(config.tls && { tls: { certificate: PATHS.certificate, key: PATHS.key } }),
      // It shows the inside of the process as well.
      debug: { addr: `127.0.0.1:${config.metricsPort}`, prometheus: { enabled: true, path: '/metrics' } },
    },
    ...(config.users.length > 0 && { auth: { htpasswd: { realm: 'registry', path: HTPASSWD } } }),
    health: { storagedriver: { enabled: true, interval: '10s', threshold: 3 } },
  };
  return `${MANAGED_FILE_HEADER}\n${JSON.stringify(content, undefined, 2)}\n`;
}

/** A line for each account, `NAME:PASSWORD`. */
export function accounts({ users }: RegistryConfig): Text | undefined {
  if (users.length === 0) return undefined;
  return text`${users.flatMap(({ name, password }) => [`${name}:`, secretAs('line', password), '\n'])}`;
}

/** Reads the accounts, and writes what the registry takes: hashes of bcrypt, which the crypt of Debian makes. */
export const HTPASSWD_SCRIPT = `${MANAGED_FILE_HEADER}
use strict;
use warnings;

my @letters = ('.', '/', 'A' .. 'Z', 'a' .. 'z', 0 .. 9);
open my $random, '<:raw', '/dev/urandom' or die "cannot read /dev/urandom: $!\\n";
open my $accounts, '<', '${PATHS.accounts}' or die "cannot read ${PATHS.accounts}: $!\\n";
umask 077;
open my $htpasswd, '>', '${HTPASSWD}' or die "cannot write ${HTPASSWD}: $!\\n";
while (my $line = <$accounts>) {
  chomp $line;
  my ($name, $password) = split /:/, $line, 2;
  die "an account has no password, or one of several lines\\n" unless defined $password and length $password;
  read $random, my $bytes, 22;
  my $salt = join '', map { $letters[ord($_) % 64] } split //, $bytes;
  my $hash = crypt $password, "\\$2y\\$10\\$$salt";
  die "crypt does not know bcrypt\\n" unless defined $hash and $hash =~ /^\\$2y\\$/;
  print $htpasswd "$name:$hash\\n";
}
close $htpasswd or die "cannot write ${HTPASSWD}: $!\\n";
`;

/** Commands before the unit's start, and the folders that it may write to. An existing folder stays as it is. */
export const dropIn = ({ users }: Pick<RegistryConfig, 'users'>, storagePath: string): string => `${MANAGED_FILE_HEADER}
[Service]
ExecStartPre=+/bin/sh -c '[ -d ${storagePath} ] || exec /usr/bin/install -d -m 0750 -o docker-registry -g docker-registry ${storagePath}'
${users.length > 0 ? `ExecStartPre=/usr/bin/perl ${PATHS.script}\n` : ''}RuntimeDirectory=docker-registry
RuntimeDirectoryMode=0700
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=-${storagePath}
PrivateTmp=yes
`;
