/** Something that is wrong with the expression of a rule, or with what it asks of a definition. */
export class RuleFault extends Error {
  override readonly name = 'RuleFault';
  constructor(
    message: string,
    readonly suggestion?: string,
    /** It asks for what is not known, such as a price: nothing is wrong with the rule. */
    readonly unknown = false,
  ) {
    super(message);
  }
}
