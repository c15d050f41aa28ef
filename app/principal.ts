/** What a call is about, as permissions name it. */
export interface Resource {
  type: 'Workspace' | 'Infra' | 'Operation' | 'Batch' | 'Provider';
  /** `default`; `default/shop` for an infra; an operation's or batch's id; an account, `hetzner/prod`. */
  id: string;
}

/** Who calls. It comes from the way the call came, a socket or a token, and never from the call itself. */
export interface Principal {
  /** `user@host`: signs what is done. */
  actor: string;
  may(action: string, resource: Resource): boolean;
}

/** Who owns the home: behind a socket in a folder that nobody else may enter, all is theirs. */
export const ownerOf = (actor: string): Principal => ({ actor, may: () => true });
