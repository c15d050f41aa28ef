import type { Form } from './form.js';

interface Answered {
  request: string;
  /** The answer, as soon as there is one: of two at once the second waits for the first. */
  answer: Promise<{ status: number; body: string }>;
}

/** What AWS keeps of requests with a token, and moto does not. */
export class ClientTokens {
  private readonly known = new Map<string, Answered>();

  /**
   * The answer of an earlier request of the same token, `mismatch` where that asked for something
   * else; otherwise `make` is called, and what it answers is kept if it is a success.
   */
  async once(
    form: Form,
    make: () => Promise<{ status: number; body: string }>,
  ): Promise<'mismatch' | { status: number; body: string; again: boolean }> {
    const token = form.values.get('ClientToken');
    if (!token) return { ...(await make()), again: false };
    const key = `${form.region}/${form.action}/${token}`;
    const request = JSON.stringify([...form.values].sort(([a], [b]) => (a < b ? -1 : 1)));
    const there = this.known.get(key);
    if (there) return there.request === request ? { ...(await there.answer), again: true } : 'mismatch';
    const answer = make();
    this.known.set(key, { request, answer });
    const made = await answer.catch((error: unknown) => {
      this.known.delete(key);
      throw error;
    });
    if (made.status !== 200) this.known.delete(key);
    return { ...made, again: false };
  }
}
