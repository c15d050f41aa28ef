/** The data of a server. Belongs to its user. */
export const DATA = '/opt/vault/data';

/** The whole configuration, without secrets. */
export const CONF = '/etc/vault.d/vault.hcl';

/** Files of TLS. The authority is that of the other members. */
export const TLS = {
  certificate: '/etc/vault.d/provisioning-cert.pem',
  key: '/etc/vault.d/provisioning-key.pem',
  authority: '/etc/vault.d/provisioning-authority.pem',
} as const;

/** The token with which root asks a member for the list of members. In a folder in which only root makes files. */
export const TOKEN = '/etc/provisioning-vault-token';

/** The id of a member: its server, and what no other machine of this name has. */
export const ID = /^([a-z][a-z0-9-]{0,79})-[0-9a-f]{8}$/;
