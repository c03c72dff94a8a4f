/**
 * Evaluates a PHP configuration file from its syntax tree, without running it: assignments, constants, arrays,
 * conditions and the file's own functions. Everything that depends on the running site (other files, the request, the
 * environment) is unknown: a condition on it takes its `else`, and `getenv` finds nothing. `exit` and an empty `return`
 * at the top are passed over, because they only guard the file against being requested by itself. Other statements
 * (`switch`, `try`, loops) are skipped: no configuration file that the supported applications ship needs them.
 */
import { Budget, tooComplex } from './budget.ts';
import { callBuiltIn } from './php-functions.ts';
import { isNode, nameOf, nodesOf, parsePhp, type Node } from './php-syntax.ts';
import { cast, copied, isTrue, joined, operate, PhpArray, textOf, unary, type PhpValue } from './php-value.ts';

/** How deep calls are followed; the result of a deeper one is unknown. */
const MAX_CALL_DEPTH = 30;

const LITERALS: ReadonlyMap<string, PhpValue> = new Map<string, PhpValue>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['php_eol', '\n'],
  ['directory_separator', '/'],
]);

type Variables = Map<string, PhpValue>;

/** Thrown by a `return` statement, and caught by the function or file that it ends. */
class ReturnSignal {
  readonly value: PhpValue;

  constructor(value: PhpValue) {
    this.value = value;
  }
}

/** The values that a file defines, by name. */
export class PhpFile {
  readonly constants = new Map<string, PhpValue>();
  readonly variables: Variables = new Map();
  /** Default values of the properties of its classes. */
  readonly classes = new Map<string, PhpArray>();
  /** The value of the file's own `return`. */
  readonly returned: PhpValue;
  readonly #functions = new Map<string, Node>();
  readonly #budget: Budget;
  #depth = 0;

  /** Errors: 422 `invalid_config_file`, `file_too_complex`. */
  constructor(text: string) {
    const statements = parsePhp(text);
    this.#budget = new Budget();
    try {
      this.#declare(statements);
      this.returned = this.#untilReturn(statements, this.variables);
    } catch (cause) {
      throw cause instanceof RangeError ? tooComplex('is nested too deeply', cause) : cause;
    }
  }

  /** Functions can be called above the line that declares them. */
  #declare(statements: readonly Node[]): void {
    for (const node of statements) {
      if (node.kind === 'function') this.#functions.set(String(nameOf(node['name'])).toLowerCase(), node);
      else if (['namespace', 'block', 'declare'].includes(node.kind)) this.#declare(nodesOf(node['children']));
    }
  }

  #untilReturn(statements: readonly Node[], scope: Variables): PhpValue {
    try {
      for (const statement of statements) this.#execute(statement, scope);
      return null;
    } catch (error) {
      if (error instanceof ReturnSignal) return error.value;
      throw error;
    }
  }

  #execute(node: Node, scope: Variables): void {
    this.#budget.spendSteps(1);
    switch (node.kind) {
      case 'expressionstatement':
        this.#value(node['expression'], scope);
        return;
      case 'block':
      case 'namespace':
      case 'declare':
        for (const child of nodesOf(node['children'])) this.#execute(child, scope);
        return;
      case 'if':
        for (const branch of nodesOf(isTrue(this.#value(node['test'], scope)) ? node['body'] : node['alternate']))
          this.#execute(branch, scope);
        return;
      case 'function':
        this.#declare([node]);
        return;
      case 'class':
        this.#class(node, scope);
        return;
      case 'constantstatement':
        for (const each of nodesOf(node['constants']))
          this.constants.set(String(nameOf(each['name'])), this.#value(each['value'], scope));
        return;
      case 'return':
        if (isNode(node['expr']) || scope !== this.variables) throw new ReturnSignal(this.#value(node['expr'], scope));
    }
  }

  #class(node: Node, scope: Variables): void {
    const members = new PhpArray();
    for (const statement of nodesOf(node['body'])) {
      for (const each of nodesOf(statement['properties']))
        members.set(String(nameOf(each['name'])), this.#value(each['value'], scope));
    }
    this.classes.set(String(nameOf(node['name'])), members);
  }

  #value(node: unknown, scope: Variables): PhpValue {
    if (!isNode(node)) return null;
    this.#budget.spendSteps(1);
    switch (node.kind) {
      case 'string':
      case 'nowdoc':
      case 'boolean':
        return this.#literal(node['value'] as string | boolean);
      case 'number':
        return Number(String(node['value']).replaceAll('_', ''));
      case 'nullkeyword':
        return null;
      case 'encapsed':
        return joined(
          nodesOf(node['value']).map((part) => this.#value(part['expression'], scope)),
          this.#budget,
        );
      case 'array':
        return this.#array(node, scope);
      case 'variable':
        return this.#variable(node, scope);
      case 'name':
        return this.#constant(String(nameOf(node)));
      case 'offsetlookup':
      case 'propertylookup':
      case 'nullsafepropertylookup':
        return this.#member(node, scope);
      case 'assign':
      case 'assignref':
        return this.#assign(node, scope);
      case 'bin':
        return this.#binary(node, scope);
      case 'unary':
        return unary(String(node['type']), this.#value(node['what'], scope));
      case 'retif':
        return this.#ternary(node, scope);
      case 'cast':
        return cast(String(node['type']), this.#value(node['expr'], scope));
      case 'silent':
        return this.#value(node['expr'], scope);
      case 'isset':
        return nodesOf(node['variables']).every((each) => (this.#value(each, scope) ?? null) !== null);
      case 'empty':
        return !isTrue(this.#value(node['expression'], scope));
      case 'new':
        return this.#object(node);
      case 'call':
        return this.#call(node, scope);
      default:
        return undefined;
    }
  }

  /** Counts the text of literals too, because a function may return them again and again. */
  #literal(value: string | boolean): string | boolean {
    if (typeof value === 'string') this.#budget.spendText(value.length);
    return value;
  }

  #array(node: Node, scope: Variables): PhpArray {
    const array = new PhpArray();
    for (const entry of nodesOf(node['items'])) {
      const value = this.#value(entry['value'], scope);
      if (entry['unpack'] === true) {
        if (value instanceof PhpArray) this.#spread(value, array);
      } else if (isNode(entry['key'])) array.set(this.#key(entry['key'], scope) ?? '', copied(value, this.#budget));
      else array.push(copied(value, this.#budget));
    }
    return array;
  }

  #spread(from: PhpArray, into: PhpArray): void {
    this.#budget.spendSteps(from.size);
    for (const [key, value] of from)
      if (/^\d+$/.test(key)) into.push(value);
      else into.set(key, value);
  }

  #variable(node: Node, scope: Variables): PhpValue {
    const name = nameOf(node);
    if (name === 'GLOBALS') {
      this.#budget.spendSteps(this.variables.size);
      return new PhpArray(this.variables);
    }
    if (name?.startsWith('_') === true) return new PhpArray(); // $_SERVER, $_ENV and the like are empty
    return name === undefined ? undefined : scope.has(name) ? scope.get(name) : null;
  }

  #constant(name: string): PhpValue {
    const plain = name.replace(/^\\/, '');
    return LITERALS.has(plain.toLowerCase()) ? LITERALS.get(plain.toLowerCase()) : this.constants.get(plain);
  }

  #member(node: Node, scope: Variables): PhpValue {
    const held = this.#value(node['what'], scope);
    const key = this.#key(node['offset'], scope);
    if (held === undefined || key === undefined) return undefined;
    return held instanceof PhpArray && held.has(key) ? held.get(key) : null;
  }

  /** The text of a key; an identifier stands for itself. */
  #key(node: unknown, scope: Variables): string | undefined {
    return isNode(node) && node.kind === 'identifier' ? nameOf(node) : textOf(this.#value(node, scope));
  }

  #assign(node: Node, scope: Variables): PhpValue {
    const operator = String(node['operator'] ?? '=');
    const before = operator === '=' ? null : this.#value(node['left'], scope);
    if (operator === '??=' && before !== null && before !== undefined) return before;
    const right = copied(this.#value(node['right'], scope), this.#budget);
    const value =
      operator === '=' || operator === '??=' ? right : operate(operator.slice(0, -1), before, right, this.#budget);
    if (isNode(node['left'])) this.#store(node['left'], value, scope);
    return value;
  }

  #store(target: Node, value: PhpValue, scope: Variables): void {
    if (target.kind === 'variable') {
      const name = nameOf(target);
      if (name !== undefined) scope.set(name, value);
      return;
    }
    const { what, offset } = target;
    if (!isNode(what)) return;
    let held = this.#value(what, scope);
    if (!(held instanceof PhpArray)) this.#store(what, (held = new PhpArray()), scope);
    if (!isNode(offset)) held.push(value);
    else held.set(this.#key(offset, scope) ?? '', value);
  }

  #binary(node: Node, scope: Variables): PhpValue {
    const type = String(node['type']).toLowerCase();
    const left = this.#value(node['left'], scope);
    if (type === '??') return left ?? this.#value(node['right'], scope);
    if (type === '&&' || type === 'and') return isTrue(left) && isTrue(this.#value(node['right'], scope));
    if (type === '||' || type === 'or') return isTrue(left) || isTrue(this.#value(node['right'], scope));
    return operate(type, left, this.#value(node['right'], scope), this.#budget);
  }

  #ternary(node: Node, scope: Variables): PhpValue {
    const test = this.#value(node['test'], scope);
    if (!isTrue(test)) return this.#value(node['falseExpr'], scope);
    return isNode(node['trueExpr']) ? this.#value(node['trueExpr'], scope) : test;
  }

  #object(node: Node): PhpArray {
    const members = this.classes.get(String(nameOf(node['what'])).replace(/^\\/, ''));
    this.#budget.spendSteps(members?.size ?? 0);
    const object = new PhpArray(members);
    object.isObject = true;
    return object;
  }

  #call(node: Node, scope: Variables): PhpValue {
    const name =
      isNode(node['what']) && node['what'].kind === 'name'
        ? String(nameOf(node['what'])).replace(/^\\/, '').toLowerCase()
        : '';
    const args = nodesOf(node['arguments']).map((each) => this.#value(each, scope));
    const own = this.#functions.get(name);
    if (own !== undefined) return this.#invoke(own, args);
    const declares = (other: string) => this.#functions.has(other);
    return callBuiltIn(name, args, { constants: this.constants, declares, budget: this.#budget });
  }

  #invoke(declaration: Node, args: readonly PhpValue[]): PhpValue {
    if (this.#depth >= MAX_CALL_DEPTH) return undefined;
    const scope: Variables = new Map();
    for (const [i, parameter] of nodesOf(declaration['arguments']).entries())
      scope.set(String(nameOf(parameter['name'])), i < args.length ? args[i] : this.#value(parameter['value'], scope));
    this.#depth += 1;
    const result = this.#untilReturn(nodesOf(declaration['body']), scope);
    this.#depth -= 1;
    return result;
  }
}
