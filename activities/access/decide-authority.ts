import type { AuthorityAnswer, AuthorityQuestion } from '../../core/access/recorded-principal.js';

/** Decides for a recorded principal by what it may do now. Throws the errors of the store. */
export type AuthorityDecider = (question: AuthorityQuestion) => Promise<AuthorityAnswer>;

/** An operation that has waited asks before it goes on whether its principal may still do what it does. */
export const createDecideAuthority = (decide: AuthorityDecider) =>
  async function decideAuthority(question: AuthorityQuestion): Promise<AuthorityAnswer> {
    return decide(question);
  };
