/** A key pair in OpenSSH's form. */
export interface KeyPair {
  private: string;
  public: string;
}

/** Whose keys. */
export interface KeyOwner {
  workspace: string;
  infra: string;
}

/**
 * Keys of infras and of their hosts.
 * Two callers that ask for the same key at once get the same one.
 */
export interface KeyStore {
  /** The key that opens the infra's hosts, made on first use. */
  infraKey(owner: KeyOwner): Promise<KeyPair>;
  /** The names of the infras of a workspace that have a key. */
  infras(workspace: string): Promise<string[]>;
  /** The host key that a new machine is given, made on first use. */
  hostKey(owner: KeyOwner, server: string): Promise<KeyPair>;
  /** The public host key that a server must show; undefined when none is known yet. */
  pinned(owner: KeyOwner, server: string): Promise<string | undefined>;
  /** Fixes the public host key of a server; `ssh-ed25519 AAAA…`. */
  pin(owner: KeyOwner, server: string, publicKey: string): Promise<void>;
  /** Forgets a server's keys, the one that is to replace it included, or with no server all of the infra's. */
  forget(owner: KeyOwner, server?: string): Promise<void>;
}

/** What a private key is sealed for: it cannot stand for another. The infra's own is that of no server. */
export const contextOfKey = ({ workspace, infra }: KeyOwner, server: string): string => `key/${workspace}/${infra}/${server}`;

/**
 * What the key is kept under that is to replace a server's: it counts beside the pinned
 * one, and is the same once the server shows it. No server can have this name.
 */
export const nextKeyName = (server: string): string => `next@${server}`;
