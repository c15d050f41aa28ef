import ts from 'typescript';
import type { SourceModules } from './source-modules.js';

/** Maximum number of steps from a place to a value, more than any source has. */
const DEPTH = 12;
/** Methods that return one element of a list, or each. */
const PICKS = new Set(['find', 'filter', 'at', 'pop', 'shift', 'values']);

/**
 * Determines the possible values of expressions from the source text. It follows literals, both branches of a
 * condition, constants, results and arguments of functions, spreads, and types that list their values.
 */
export function valuesIn(modules: SourceModules) {
  /** Returns the possible texts of an expression. */
  function textsOf(node: ts.Node | undefined, depth = 0): string[] {
    if (!node || depth > DEPTH) return [];
    if (ts.isStringLiteralLike(node)) return [node.text];
    if (ts.isTemplateExpression(node)) {
      return node.templateSpans.reduce<string[]>(
        (heads, { expression, literal }) =>
          textsOf(expression, depth + 1).flatMap((text) => heads.map((head) => `${head}${text}${literal.text}`)),
        [node.head.text],
      );
    }
    const next = throughSyntax(node);
    if (next) return next.flatMap((one) => textsOf(one, depth));
    if (ts.isPropertyAccessExpression(node)) return propertyOf(node.expression, node.name.text, depth + 1);
    if (!ts.isIdentifier(node)) return [];
    const declaration = modules.declarationOf(node.text, node);
    if (!declaration) return [];
    if (ts.isVariableDeclaration(declaration)) return textsOf(declaration.initializer, depth + 1);
    if (ts.isBindingElement(declaration)) return boundTo(declaration, depth + 1);
    if (!ts.isParameter(declaration)) return [];
    const listed = literalsOf(declaration.type);
    return listed.length > 0 ? listed : argumentsFor(declaration).flatMap((one) => textsOf(one, depth + 1));
  }

  /** Returns the possible texts of a property in an expression's value. Objects with their own blame are left out. */
  function propertyOf(node: ts.Node | undefined, name: string, depth = 0): string[] {
    if (!node || depth > DEPTH) return [];
    if (ts.isObjectLiteralExpression(node)) return propertyOfLiteral(node, name, depth);
    const next = throughSyntax(node) ?? elementsOf(node);
    if (next) return next.flatMap((one) => propertyOf(one, name, depth + 1));
    if (ts.isElementAccessExpression(node)) return itemsOf(node.expression).flatMap((one) => propertyOf(one, name, depth + 1));
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
      return returnsOf(modules.declarationOf(node.expression.text, node)).flatMap((one) => propertyOf(one, name, depth + 1));
    if (!ts.isIdentifier(node)) return [];
    const declaration = modules.declarationOf(node.text, node);
    if (!declaration) return [];
    if (ts.isVariableDeclaration(declaration)) {
      const list = ts.isForOfStatement(declaration.parent.parent) ? declaration.parent.parent.expression : undefined;
      if (list) return itemsOf(list).flatMap((one) => propertyOf(one, name, depth + 1));
      const found = propertyOf(declaration.initializer, name, depth + 1);
      return found.length > 0 ? found : listedBy(declaration.type, name);
    }
    if (!ts.isParameter(declaration)) return [];
    const listed = listedBy(declaration.type, name);
    return listed.length > 0 ? listed : argumentsFor(declaration).flatMap((one) => propertyOf(one, name, depth + 1));
  }

  function propertyOfLiteral(node: ts.ObjectLiteralExpression, name: string, depth: number): string[] {
    const isBlamed = () =>
      node.properties.some((one) => one.name?.getText() === 'blame') || propertyOf(node, 'blame', depth).length > 0;
    if (depth > 0 && name === 'code' && isBlamed()) return [];
    let found: string[] = [];
    for (const one of node.properties) {
      if (ts.isSpreadAssignment(one)) found = [...found, ...propertyOf(one.expression, name, depth + 1)];
      else if (one.name?.getText() !== name) continue;
      else if (ts.isPropertyAssignment(one)) found = textsOf(one.initializer, depth + 1);
      else if (ts.isShorthandPropertyAssignment(one)) found = textsOf(one.name, depth + 1);
    }
    return found;
  }

  /** Returns the values of a name in a pattern: `{ code }` in a variable or a parameter. */
  function boundTo(element: ts.BindingElement, depth: number): string[] {
    const name = (element.propertyName ?? element.name).getText();
    const whole = element.parent.parent;
    if (ts.isVariableDeclaration(whole)) return propertyOf(whole.initializer, name, depth);
    if (!ts.isParameter(whole)) return [];
    const listed = listedBy(whole.type, name);
    return listed.length > 0 ? listed : argumentsFor(whole).flatMap((one) => propertyOf(one, name, depth));
  }

  /** Returns the arguments for a parameter in the calls of its function. */
  function argumentsFor(parameter: ts.ParameterDeclaration): ts.Node[] {
    const called = parameter.parent;
    const named = ts.isFunctionDeclaration(called) ? called : ts.isVariableDeclaration(called.parent) ? called.parent : undefined;
    if (!named?.name || !ts.isIdentifier(named.name)) return [];
    const index = called.parameters.indexOf(parameter as never);
    return modules.callsOf(named.name.text, named).flatMap((call) => call.arguments?.[index] ?? parameter.initializer ?? []);
  }

  /** Returns the values of a list or a table, named or literal. */
  function itemsOf(node: ts.Node, depth = 0): ts.Node[] {
    if (depth > DEPTH) return [];
    const next = throughSyntax(node);
    if (next) return next.flatMap((one) => itemsOf(one, depth + 1));
    if (ts.isArrayLiteralExpression(node)) return [...node.elements];
    if (ts.isObjectLiteralExpression(node))
      return node.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? [one.initializer] : []));
    if (!ts.isIdentifier(node)) return [];
    const declaration = modules.declarationOf(node.text, node);
    return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
      ? itemsOf(declaration.initializer, depth + 1)
      : [];
  }

  function elementsOf(node: ts.Node): ts.Node[] | undefined {
    const { expression } = node as Partial<ts.CallExpression>;
    if (!ts.isCallExpression(node) || !expression || !ts.isPropertyAccessExpression(expression)) return undefined;
    return PICKS.has(expression.name.text) ? itemsOf(expression.expression) : undefined;
  }

  /** Returns the values of a property that a type lists: in an interface, a type or the members of a class. */
  function listedBy(type: ts.TypeNode | undefined, name: string): string[] {
    const declaration =
      type && ts.isTypeReferenceNode(type) && ts.isIdentifier(type.typeName)
        ? modules.declarationOf(type.typeName.text, type)
        : type;
    if (!declaration) return [];
    const written = ts.isTypeAliasDeclaration(declaration) ? declaration.type : declaration;
    return membersOf(written).flatMap(({ name: one, type: its }) => (one?.getText() === name ? literalsOf(its) : []));
  }

  function literalsOf(type: ts.TypeNode | undefined): string[] {
    if (!type) return [];
    if (ts.isUnionTypeNode(type)) return type.types.flatMap(literalsOf);
    if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal)) return [type.literal.text];
    if (!ts.isTypeReferenceNode(type) || !ts.isIdentifier(type.typeName)) return [];
    const declaration = modules.declarationOf(type.typeName.text, type);
    return declaration && ts.isTypeAliasDeclaration(declaration) ? literalsOf(declaration.type) : [];
  }

  return { textsOf, propertyOf };
}

/** Returns the members of a type, including those that a class constructor declares. */
function membersOf(written: ts.Node): readonly { name?: ts.Node; type?: ts.TypeNode }[] {
  if (ts.isInterfaceDeclaration(written) || ts.isTypeLiteralNode(written)) return written.members;
  if (!ts.isClassDeclaration(written)) return [];
  return written.members.flatMap((one): { name?: ts.Node; type?: ts.TypeNode }[] =>
    ts.isConstructorDeclaration(one) ? [...one.parameters] : [one],
  );
}

/**
 * Returns the expressions that give an expression its value without a name: branches of a condition, parenthesized
 * expressions.
 */
function throughSyntax(node: ts.Node): ts.Node[] | undefined {
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse];
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return [node.expression];
  if (!ts.isBinaryExpression(node)) return undefined;
  const and = node.operatorToken.kind === ts.SyntaxKind.AmpersandAmpersandToken;
  return and ? [node.right] : [node.left, node.right];
}

/** Returns the expressions that a function returns. */
function returnsOf(declaration: ts.Node | undefined): ts.Node[] {
  if (!declaration) return [];
  const written = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
  if (!written || !(ts.isArrowFunction(written) || ts.isFunctionDeclaration(written)) || !written.body) return [];
  if (!ts.isBlock(written.body)) return [written.body];
  const found: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found.push(node.expression);
    ts.forEachChild(node, visit);
  };
  visit(written.body);
  return found;
}
