/** A key pair in OpenSSH's form. */
export interface KeyPair {
  private: string;
  public: string;
}

/** Owner of keys. */
export interface KeyOwner {
  workspace: string;
  infra: string;
}

/** Keys of infras and of their hosts. Two callers that request the same key at once get the same key. */
export interface KeyStore {
  /** The key that opens the infra's hosts, made on first use. */
  infraKey(owner: KeyOwner): Promise<KeyPair>;
  /** The names of a workspace's infras with a key. */
  infras(workspace: string): Promise<string[]>;
  /** The host key of a new machine, created at first use. */
  hostKey(owner: KeyOwner, server: string): Promise<KeyPair>;
  /** The public host key that a server must present; undefined if unknown. */
  pinned(owner: KeyOwner, server: string): Promise<string | undefined>;
  /** Fixes the public host key of a server; `ssh-ed25519 AAAA…`. */
  pin(owner: KeyOwner, server: string, publicKey: string): Promise<void>;
  /** Deletes a server's keys, including the next one, or without a server all keys of the infra. */
  forget(owner: KeyOwner, server?: string): Promise<void>;
}

/**
 * Returns the context that a private key is sealed for, so that it cannot replace another key. The infra's own key has
 * no server name.
 */
export const contextOfKey = ({ workspace, infra }: KeyOwner, server: string): string => `key/${workspace}/${infra}/${server}`;

/**
 * Returns the name of the key that will replace a server's key. It counts beside the pinned key, and becomes the
 * pinned key once the server presents it. No server can have this name.
 */
export const nextKeyName = (server: string): string => `next@${server}`;
