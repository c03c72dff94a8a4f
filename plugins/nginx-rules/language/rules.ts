import { CHALLENGES } from '../../../kernel/contract/points/web-server-part.ts';
import { MOST_FAULTS, NO_TEXT, type LineFault } from '../../../kernel/kit/line-faults.ts';
import { PLAIN, VARIABLE, type Place } from './directives.ts';
import { patternCost } from './pattern-cost.ts';
import { readStatements, SyntaxFault, type Statement } from './statements.ts';

/** A line for nginx. It means what the owner's line means, and nothing else. */
export interface RuleLine {
  readonly text: string;
  /** The line of the owner's text, from 1. */
  readonly line: number;
}

export const MOST_CHARACTERS = 8192;
/** nginx looks through those of a site at each request. */
const [MOST_DIRECTIVES, MOST_PATTERNS, MOST_SQUARE] = [200, 50, 5];
const MOST_SHOWN = 60;
const LOCATION = /^\/[A-Za-z0-9._~!,=@:+%/ -]{0,255}$/;
const TARGET = /^(?:https?:\/\/|\$scheme:\/\/|\/(?!\/))/;
/** Names of scripts, whose source would be shown if they were served as files. */
const SCRIPT = /\.ph/i;
const FILE_TESTS = ['-f', '!-f', '-d', '!-d', '-e', '!-e'];
const FILES = ['$request_filename', '$document_root$uri'];
/** Paths with control characters, hidden files, and proofs of a certificate come to no rule. */
const FIRST = [
  ...['if ($hostkeep_forges) {', '    return 404;', '}'],
  ...['if ($hostkeep_refuses = 1) {', '    return 404;', '}'],
  ...['if ($uri ~ "^/\\.well-known/acme-challenge/[A-Za-z0-9_-]+$") {', '    break;', '}'],
];
/** Such a location is before the one that runs scripts, if there is one. */
const NO_SCRIPTS = ['if ($hostkeep_refuses) {', '    return 404;', '}'];

/** For a site that runs no scripts, and has no such location: a rewrite leads there. */
export const REST = ['location / {', ...NO_SCRIPTS.map((line) => `    ${line}`), '}'];

/** Returns examples of all directives that can be used. */
export const ruleForms = (): string[] => [
  ...['rewrite ^/old/(.*)$ /new/$1 permanent;', 'return 301 https://example.com$request_uri;'],
  ...['if ($request_method = POST) { … }', 'location /docs/ { … }', 'try_files $uri $uri/ /index.html;'],
  ...[...PLAIN.values()].map(({ form }) => form),
];

/** Reads the directives of an owner. Returns the lines for nginx, and what cannot be taken. */
export function readRules(text: string): {
  readonly lines: readonly RuleLine[];
  readonly faults: readonly LineFault[];
} {
  const reader = new RuleReader();
  if (text.length > MOST_CHARACTERS) reader.fault(1, `there can be ${MOST_CHARACTERS} characters at most`);
  else if (NO_TEXT.test(text))
    reader.fault(text.split('\n').findIndex((line) => NO_TEXT.test(line)) + 1, 'there is a character that no text has');
  else reader.read(text);
  const { lines, faults } = reader;
  return { lines: lines.length === 0 ? [] : [...FIRST.map((first) => ({ text: first, line: 1 })), ...lines], faults };
}

class RuleReader {
  readonly lines: RuleLine[] = [];
  readonly faults: LineFault[] = [];
  #directives = 0;
  #patterns = 0;
  #square = 0;

  fault(line: number, message: string): void {
    if (this.faults.length < MOST_FAULTS) this.faults.push({ line, message });
  }

  read(text: string): void {
    try {
      for (const statement of readStatements(text)) this.#add(statement, 'site');
    } catch (error) {
      if (!(error instanceof SyntaxFault)) throw error;
      this.fault(error.line, error.message);
    }
  }

  #add(statement: Statement, place: Place): void {
    const { name, words, line, block } = statement;
    if (++this.#directives === MOST_DIRECTIVES + 1)
      this.fault(line, `there can be ${MOST_DIRECTIVES} directives at most`);
    const isBlock = name === 'if' || name === 'location';
    const shown = name.slice(0, MOST_SHOWN);
    if (isBlock !== (block !== undefined))
      this.fault(line, `${shown} ${isBlock ? 'has a block in braces' : 'ends with a semicolon'}`);
    else if (name === 'location') this.#location(words, statement, place);
    else if (name === 'if') this.#if(words, statement, place);
    else {
      const wrong = this.#refused(name, words, place);
      if (wrong === undefined) this.#write(line, place, `${name} ${words.map(quoted).join(' ')};`);
      else this.fault(line, wrong);
    }
  }

  #write(line: number, place: Place, text: string): void {
    this.lines.push({ text: `${place === 'site' ? '' : '    '}${text}`, line });
  }

  #inner({ block = [], line }: Statement, place: Place, head: string, first: readonly string[] = []): void {
    this.lines.push({ text: head, line }, ...first.map((text) => ({ text: `    ${text}`, line })));
    for (const each of block) this.#add(each, place);
    this.lines.push({ text: '}', line });
  }

  #location(words: readonly string[], statement: Statement, place: Place): void {
    const [modifier, path = ''] = words.length === 1 ? ['', ...words] : words;
    const { line } = statement;
    if (place !== 'site') return this.fault(line, 'a location stands in no other block');
    if (words.length > 2 || !['', '=', '^~', '~', '~*'].includes(modifier ?? ''))
      return this.fault(line, 'a location has the form location /docs/ or location ~ ^/docs/');
    const isPattern = modifier === '~' || modifier === '~*';
    const wrong = isPattern ? this.#pattern(path) : locationFault(path);
    if (wrong !== undefined) return this.fault(line, wrong);
    const head = `location ${modifier === '' ? '' : `${modifier} `}${quoted(path)} {`;
    this.#inner(statement, 'location', head, modifier === '' ? [] : NO_SCRIPTS);
  }

  #if(words: readonly string[], statement: Statement, place: Place): void {
    const { line } = statement;
    if (place === 'if') return this.fault(line, 'an if stands in no other if');
    const [first = '', last = ''] = [words[0], words.at(-1)];
    if (!first.startsWith('(') || !last.endsWith(')') || words.join('').length < 3)
      return this.fault(line, 'the condition of an if is in parentheses');
    const open = first === '(' ? words.slice(1) : [first.slice(1), ...words.slice(1)];
    const end = open.at(-1) ?? '';
    const condition = end === ')' ? open.slice(0, -1) : [...open.slice(0, -1), end.slice(0, -1)];
    const wrong = this.#condition(condition);
    if (wrong !== undefined) return this.fault(line, wrong);
    const [subject, operator, value] = condition;
    const head = [subject, operator, value === undefined ? undefined : quoted(value)].filter(
      (each) => each !== undefined,
    );
    this.#inner(statement, 'if', `if (${head.join(' ')}) {`);
  }

  #condition([subject = '', operator, value, ...more]: readonly string[]): string | undefined {
    if (FILE_TESTS.includes(subject))
      return value === undefined && FILES.includes(operator ?? '')
        ? undefined
        : 'a test of files has the form -f $request_filename';
    if (!/^\$\w+$/.test(subject) || more.length > 0) return 'a condition has the form $variable = text, or ~ pattern';
    const unknown = variableFault(subject);
    if (unknown !== undefined || operator === undefined) return unknown;
    if (value === undefined) return 'a condition has the form $variable = text, or ~ pattern';
    if (operator === '=' || operator === '!=') return variableFault(value);
    if (['~', '~*', '!~', '!~*'].includes(operator)) return this.#pattern(value);
    return 'a condition compares by =, !=, ~, ~*, !~ or !~*';
  }

  #pattern(pattern: string): string | undefined {
    if (++this.#patterns > MOST_PATTERNS) return `there can be ${MOST_PATTERNS} patterns at most`;
    const { fault, isSquare } = patternCost(pattern);
    if (isSquare === true && ++this.#square > MOST_SQUARE)
      return `in ${MOST_SQUARE} patterns at most, a repetition may go on beyond the next character`;
    return fault;
  }

  #refused(name: string, words: readonly string[], place: Place): string | undefined {
    if (name === 'rewrite') return this.#rewrite(words);
    if (name === 'return') return returnFault(words);
    if (name === 'try_files') return place === 'location' ? tryFault(words) : 'try_files stands in a location';
    const plain = PLAIN.get(name);
    if (plain === undefined) return `${name.slice(0, MOST_SHOWN)} is none of the directives that can be used`;
    if (place === 'if') return 'an if holds only rewrite and return';
    if (!plain.places.includes(place)) return `${name} stands in a location`;
    const { most = 1, form, takes } = plain;
    return words.length > 0 && words.length <= most && words.every(takes) ? undefined : `${name} has the form ${form}`;
  }

  #rewrite(words: readonly string[]): string | undefined {
    const [pattern = '', target = '', flag = 'last'] = words;
    if (words.length < 2 || words.length > 3 || !['last', 'redirect', 'permanent'].includes(flag))
      return 'rewrite has the form rewrite ^/old/(.*)$ /new/$1 last; or redirect, or permanent';
    return this.#pattern(pattern) ?? targetFault(target);
  }
}

/** Says a word so that nginx reads that word. */
const quoted = (word: string): string => `"${word.replaceAll(/["\\]/g, '\\$&')}"`;

function locationFault(path: string): string | undefined {
  if (!LOCATION.test(path)) return 'a location is a path that begins with a slash';
  if (path === '/') return 'the location / is that of the site: its directives stand outside of locations';
  const isTaken =
    path.startsWith('/hostkeep-') || CHALLENGES.startsWith(path) || path.startsWith(CHALLENGES.slice(0, -1));
  return isTaken ? 'this location is used by the server itself' : undefined;
}

function variableFault(text: string): string | undefined {
  if (text.length > 1024) return 'a text has 1024 characters at most';
  for (const [, braced, plain] of text.matchAll(/\$(?:\{(\w+)\}|([1-9]|\w+))?/g)) {
    const name = braced ?? plain;
    if (name === undefined) return 'a dollar sign stands before the name of a variable';
    if (!VARIABLE.test(name)) return `$${name.slice(0, MOST_SHOWN)} is none of the variables that can be used`;
  }
  return undefined;
}

const targetFault = (target: string): string | undefined =>
  TARGET.test(target) ? variableFault(target) : 'a target begins with a slash, http:// or https://';

function returnFault([code = '', text, ...more]: readonly string[]): string | undefined {
  if (more.length > 0) return 'return has the form return 404; or return 301 /new/;';
  if (!/^[2-5]\d\d$/.test(code)) return text === undefined ? targetFault(code) : 'a status is a number from 200 to 599';
  if (text === undefined) return undefined;
  return ['301', '302', '303', '307', '308'].includes(code) ? targetFault(text) : variableFault(text);
}

function tryFault(words: readonly string[]): string | undefined {
  const last = words.at(-1) ?? '';
  if (words.length < 2) return 'try_files has the form try_files $uri $uri/ /index.html;';
  const file = words.slice(0, -1).find((word) => !/^(?:\$uri|\/)[A-Za-z0-9._/-]*$/.test(word) || SCRIPT.test(word));
  if (file !== undefined) return 'try_files tries $uri and paths before the last, but no scripts';
  if (/^=[2-5]\d\d$/.test(last)) return undefined;
  return /^\/(?!\/)/.test(last) ? variableFault(last) : 'try_files ends with a path or a status such as =404';
}
