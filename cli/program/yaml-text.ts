/** Writes documents as YAML; the parser is loaded where it is asked for. */
export async function yamlText(): Promise<(value: unknown) => string> {
  const { stringify } = await import('yaml');
  return (value) => {
    // Exactly what the JSON document has; `compat` quotes what older readers take for something else, such as `yes`.
    const document: unknown = JSON.parse(JSON.stringify(value));
    return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  };
}
