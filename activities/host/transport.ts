import type { Readable, Writable } from 'node:stream';

/** How a remote script ended. */
export interface ExecResult {
  exit: number;
  stdout: string;
  stderr: string;
}

export interface ExecOptions {
  signal?: AbortSignal;
  /** Called with standard output as it comes; it is then not collected. */
  onOutput?: (chunk: string) => void;
  /** Bytes that the script reads from its standard input. */
  input?: Readable;
  /** Takes standard output as bytes, as fast as it can; that is then not collected. */
  output?: Writable;
  /** Milliseconds that it may take on the host, which ends it then. Only work that is followed is without. */
  limitMs?: number;
  /** Milliseconds that all of it may take, with what comes before: a connection, a turn. */
  withinMs?: number;
}

/**
 * A way to run scripts on a host as root. The script goes over standard input,
 * never into arguments, since it may hold secrets.
 * Throws ProvisioningError: `host-unreachable`, `ssh-handshake`, `host-too-late` (transient),
 * `ssh-key-refused`, `host-key-changed`, `sudo-refused`, `output-too-large` (user).
 */
export interface Transport {
  exec(script: string, options?: ExecOptions): Promise<ExecResult>;
}

/** Hands out transports by SSH; connections are kept and shared. */
export interface Transports {
  /** @param fresh a connection of its own, opened now: proof that new connections still get in */
  open(target: Target, options?: { fresh?: boolean }): Promise<Transport & { close(): void }>;
  /** Fingerprint of a host's key that was pinned as it was shown, since nothing was known of it; answered once. */
  takeFirstSeen(target: Target): string | undefined;
  /** Forgets connections to a host that is gone. */
  forget(target: Target): void;
  close(): void;
}

/** A host of an infra, and how to reach it by SSH. */
export interface Target {
  workspace: string;
  infra: string;
  server: string;
  connection: { kind: 'ssh'; address: string; port: number; user: string; identity?: string; jump?: string };
}
