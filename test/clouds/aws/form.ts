/** EC2 request: its action, and the parameters of its form. */
export interface Form {
  action: string;
  values: ReadonlyMap<string, string>;
  region: string;
}

export function formOf(body: string, authorization: string | undefined): Form {
  const values = new Map(new URLSearchParams(body));
  const [, region = 'us-east-1'] = /Credential=[^/]+\/\d+\/([a-z0-9-]+)\//.exec(authorization ?? '') ?? [];
  return { action: values.get('Action') ?? '', values, region };
}

/** Returns the values of `Name.1`, `Name.2`, … */
export function listed({ values }: Pick<Form, 'values'>, name: string): string[] {
  const found: string[] = [];
  for (let number = 1; values.has(`${name}.${number}`); number++) found.push(values.get(`${name}.${number}`) ?? '');
  return found;
}

/** Returns the filters by name. */
export function filters({ values }: Pick<Form, 'values'>): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let number = 1; values.has(`Filter.${number}.Name`); number++) {
    found.set(values.get(`Filter.${number}.Name`) ?? '', listed({ values }, `Filter.${number}.Value`));
  }
  return found;
}

/** Returns the tags of the first specification. */
export function tags({ values }: Pick<Form, 'values'>, prefix = 'TagSpecification.1.Tag'): { key: string; value: string }[] {
  const found: { key: string; value: string }[] = [];
  for (let number = 1; values.has(`${prefix}.${number}.Key`); number++) {
    found.push({ key: values.get(`${prefix}.${number}.Key`) ?? '', value: values.get(`${prefix}.${number}.Value`) ?? '' });
  }
  return found;
}
