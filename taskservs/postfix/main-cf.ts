import {
  addressesOf,
  type ListenAddress,
  literalAddressesOf,
  MANAGED_FILE_HEADER,
  secretAs,
  type Text,
  TLS12_CIPHERS,
  text,
  tlsFiles,
} from '../../sdk/index.js';
import type { PostfixConfig } from './postfix-config.js';

export const RELAY_ACCOUNT = '/etc/postfix/relay-account';
export const ALIASES = '/etc/postfix/aliases';

const HEAD = `${MANAGED_FILE_HEADER}\n`;

const TLS = { opportunistic: 'may', required: 'encrypt', verified: 'secure' } as const;

/** In brackets: the host itself, not those that take mail for it. */
const nextHop = ({ host, port }: NonNullable<PostfixConfig['relay']>): string => `[${host}]:${port}`;

/** An IPv6 network as postfix writes it: `[fd00::]/8`. */
const bracketed = (range: string): string => (range.includes(':') ? range.replace(/^[^/]*/, '[$&]') : range);

/** The content of main.cf. */
export function mainCf(config: PostfixConfig, server: string, listening: ListenAddress): string {
  const { relay, allow, maxMessage, hostname = server, origin = hostname } = config;
  const addresses = literalAddressesOf(listening) ?? ['all'];
  const lines = [
    'compatibility_level = 3.6',
    `myhostname = ${hostname}`,
    `myorigin = ${origin}`,
    'mydestination = $myhostname, localhost',
    `inet_interfaces = ${addressesOf(listening)?.length === 1 ? 'loopback-only' : addresses.join(', ')}`,
    `mynetworks = ${['127.0.0.0/8', '[::1]/128', ...allow.map(bracketed)].join(' ')}`,
    'smtpd_relay_restrictions = permit_mynetworks, reject_unauth_destination',
    `virtual_alias_maps = texthash:${ALIASES}`,
    'alias_maps =',
    'alias_database =',
    `message_size_limit = ${maxMessage}`,
    'mailbox_size_limit = 0',
    'biff = no',
    'append_dot_mydomain = no',
    'smtpd_banner = $myhostname ESMTP',
    ...toClients(config),
    `relayhost = ${relay ? nextHop(relay) : ''}`.trimEnd(),
    `smtp_tls_security_level = ${relay ? TLS[relay.tls] : 'may'}`,
    'smtp_tls_CAfile = /etc/ssl/certs/ca-certificates.crt',
    ...(relay?.port === 465 ? ['smtp_tls_wrappermode = yes'] : []),
    ...(relay?.account
      ? [
          'smtp_sasl_auth_enable = yes',
          `smtp_sasl_password_maps = texthash:${RELAY_ACCOUNT}`,
          'smtp_sasl_security_options = noanonymous',
        ]
      : []),
  ];
  return `${HEAD}${lines.join('\n')}\n`;
}

/** How it speaks TLS to those who hand mail in; they say who sends it by then, and to whom, and the mail itself only behind it. */
function toClients({ tls }: PostfixConfig): string[] {
  if (!tls) return [];
  const { certificate, key } = tlsFiles('postfix');
  return [
    'smtpd_tls_security_level = may',
    `smtpd_tls_chain_files = ${key}, ${certificate}`,
    `smtpd_tls_protocols = >=${tls.minimum}`,
    'smtpd_tls_ciphers = high',
    `tls_high_cipherlist = ${TLS12_CIPHERS}`,
    ...(tls.required
      ? ['smtpd_sender_restrictions = permit_inet_interfaces, reject_plaintext_session', 'plaintext_reject_code = 530']
      : []),
  ];
}

/** Account at the relay, readable only for root. Undefined without an account. */
export function relayAccount({ relay }: PostfixConfig): Text | undefined {
  if (!relay?.account) return undefined;
  return text`${nextHop(relay)} ${relay.account.name}:${secretAs('postfix', relay.account.password)}\n`;
}

/** The content of the aliases: those that are named, and postmaster, whom everybody may write to. */
export function aliases({ aliases }: PostfixConfig): string {
  const postmaster = aliases.some(({ name }) => name === 'postmaster') ? [] : [{ name: 'postmaster', to: ['root'] }];
  const lines = [...postmaster, ...aliases].map(({ name, to }) => `${name} ${to.join(', ')}\n`);
  return `${HEAD}${lines.join('')}`;
}
