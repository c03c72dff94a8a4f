/**
 * Reads the values that a PHP configuration file writes down, from its syntax tree: literals and what joins them, constants,
 * assignments, arrays, defaults of classes and one returned value. Everything else is unknown: what is called, compared or
 * chosen, and what an `if` sets. `exit` and an empty `return` are passed over, because they only guard the file against being
 * requested by itself; so are loops and declarations of functions.
 */
import { Budget, tooComplex } from './budget.ts';
import { isNode, nodeName, asNodes, parsePhp, type Node } from './php-syntax.ts';
import { copied, joined, PhpArray, asText, type PhpValue } from './php-value.ts';

const LITERALS: ReadonlyMap<string, PhpValue> = new Map<string, PhpValue>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['php_eol', '\n'],
  ['directory_separator', '/'],
]);

/** The values that a file defines, by name. */
export class PhpFile {
  readonly constants = new Map<string, PhpValue>();
  readonly variables = new Map<string, PhpValue>();
  /** Default values of the properties of its classes. */
  readonly classes = new Map<string, PhpArray>();
  /** The value of the file's own `return`; `null` without one. */
  returned: PhpValue = null;
  readonly #budget: Budget;
  /** Whether the statement is one of several that may run. */
  #isConditional = false;

  /** Errors: 422 `invalid_config_file`, `file_too_complex`. */
  constructor(text: string) {
    const statements = parsePhp(text);
    this.#budget = new Budget();
    try {
      for (const statement of statements) this.#execute(statement);
    } catch (cause) {
      throw cause instanceof RangeError ? tooComplex('is nested too deeply', cause) : cause;
    }
  }

  #execute(node: Node): void {
    this.#budget.spendSteps(1);
    switch (node.kind) {
      case 'expressionstatement':
        this.#value(node['expression']);
        return;
      case 'block':
      case 'namespace':
      case 'declare':
        for (const child of asNodes(node['children'])) this.#execute(child);
        return;
      case 'if':
        this.#conditionally([...asNodes(node['body']), ...asNodes(node['alternate'])]);
        return;
      case 'class':
        this.#class(node);
        return;
      case 'constantstatement':
        for (const each of asNodes(node['constants'])) this.#define(nodeName(each['name']), this.#value(each['value']));
        return;
      case 'return':
        if (isNode(node['expr'])) this.returned ??= this.#settled(this.#value(node['expr']));
    }
  }

  #conditionally(branches: readonly Node[]): void {
    const wasConditional = this.#isConditional;
    this.#isConditional = true;
    for (const branch of branches) this.#execute(branch);
    this.#isConditional = wasConditional;
  }

  /** The value that a name has afterwards: unknown if the statement may not run. */
  #settled(value: PhpValue): PhpValue {
    return this.#isConditional ? undefined : copied(value, this.#budget);
  }

  #class(node: Node): void {
    const members = new PhpArray();
    for (const statement of asNodes(node['body'])) {
      for (const each of asNodes(statement['properties']))
        members.set(String(nodeName(each['name'])), this.#value(each['value']));
    }
    this.classes.set(String(nodeName(node['name'])), members);
  }

  #value(node: unknown): PhpValue {
    if (!isNode(node)) return null;
    this.#budget.spendSteps(1);
    switch (node.kind) {
      case 'string':
      case 'nowdoc':
        return joined([String(node['value'])], this.#budget);
      case 'boolean':
        return node['value'] === true;
      case 'number':
        return Number(String(node['value']).replaceAll('_', ''));
      case 'nullkeyword':
        return null;
      case 'encapsed':
        return joined(
          asNodes(node['value']).map((part) => this.#value(part['expression'])),
          this.#budget,
        );
      case 'array':
        return this.#array(node);
      case 'variable':
        return this.variables.get(nodeName(node) ?? '');
      case 'name':
        return this.#constant(String(nodeName(node)));
      case 'offsetlookup':
      case 'propertylookup':
        return this.#member(node);
      case 'assign':
      case 'assignref':
        return this.#assign(node);
      case 'bin':
        return node['type'] === '.' ? this.#joined(node['left'], node['right']) : undefined;
      case 'silent':
        return this.#value(node['expr']);
      case 'new':
        return Object.assign(new PhpArray(), { isObject: true });
      case 'call':
        return this.#call(node);
      default:
        return undefined;
    }
  }

  #joined(left: unknown, right: unknown): PhpValue {
    return joined([this.#value(left), this.#value(right)], this.#budget);
  }

  #array(node: Node): PhpArray {
    const array = new PhpArray();
    for (const entry of asNodes(node['items'])) {
      const value = copied(this.#value(entry['value']), this.#budget);
      if (entry['unpack'] === true) this.#spread(value, array);
      else if (isNode(entry['key'])) array.set(this.#key(entry['key']) ?? '', value);
      else array.push(value);
    }
    return array;
  }

  #spread(from: PhpValue, into: PhpArray): void {
    if (!(from instanceof PhpArray)) return;
    for (const [key, value] of from)
      if (/^\d+$/.test(key)) into.push(value);
      else into.set(key, value);
  }

  #constant(name: string): PhpValue {
    const plain = name.replace(/^\\/, '');
    return LITERALS.has(plain.toLowerCase()) ? LITERALS.get(plain.toLowerCase()) : this.constants.get(plain);
  }

  #member(node: Node): PhpValue {
    const held = this.#value(node['what']);
    const key = this.#key(node['offset']);
    return held instanceof PhpArray && key !== undefined ? held.get(key) : undefined;
  }

  /** The text of a key; an identifier stands for itself. */
  #key(node: unknown): string | undefined {
    return isNode(node) && node.kind === 'identifier' ? nodeName(node) : asText(this.#value(node));
  }

  #assign({ operator, left, right }: Node): PhpValue {
    const isPlain = operator === '=' || operator === undefined;
    const value = this.#settled(
      isPlain ? this.#value(right) : operator === '.=' ? this.#joined(left, right) : undefined,
    );
    if (isNode(left)) this.#store(left, value);
    return value;
  }

  #store(target: Node, value: PhpValue): void {
    if (target.kind === 'variable') {
      const name = nodeName(target);
      if (name !== undefined) this.variables.set(name, value);
      return;
    }
    const { what, offset } = target;
    if (!isNode(what)) return;
    let held = this.#value(what);
    if (!(held instanceof PhpArray)) this.#store(what, (held = new PhpArray()));
    if (!isNode(offset)) held.push(value);
    else held.set(this.#key(offset) ?? '', value);
  }

  #call(node: Node): PhpValue {
    const name = isNode(node['what']) && node['what'].kind === 'name' ? String(nodeName(node['what'])) : '';
    if (name.replace(/^\\/, '').toLowerCase() !== 'define') return undefined;
    const [constant, value] = asNodes(node['arguments']).map((each) => this.#value(each));
    this.#define(asText(constant), value);
    return true;
  }

  /** The first definition is kept. */
  #define(name: string | undefined, value: PhpValue): void {
    if (name !== undefined && !this.constants.has(name)) this.constants.set(name, this.#settled(value));
  }
}
