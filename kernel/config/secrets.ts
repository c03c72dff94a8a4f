/** Secrets: settings that their schema marks as `writeOnly`. A secret `x` may stand in a file, which `x_file` names. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, type Issue } from '../errors.ts';
import type { TSchema } from '../schema.ts';
import { findExposure } from '../kit/files/private-file.ts';

/** Names, at the beginning of a path, the folder in which systemd puts the credentials of a unit. */
const CREDENTIALS = '$CREDENTIALS_DIRECTORY/';
const SECRET_LIMIT_BYTES = 64 * 1024;

/** Returns the members of an object or an array, with the schema of each if that is known. */
function members(schema: TSchema, value: unknown): [name: string, member: unknown, schema: TSchema | undefined][] {
  if (typeof value !== 'object' || value === null) return [];
  const {
    properties = {},
    patternProperties = {},
    items,
  } = schema as Readonly<Record<string, Record<string, TSchema>>>;
  const [everyMember] = Object.values(patternProperties);
  return Object.entries(value).map(([name, member]: [string, unknown]) => [
    name,
    member,
    (items as TSchema | undefined) ?? properties[name] ?? everyMember,
  ]);
}

const isSecret = (schema: TSchema): boolean => schema['writeOnly'] === true;

/** Returns the paths of the members of a value that its schema marks as `writeOnly`, unless they are empty. */
export function secretsIn(schema: TSchema, value: unknown, path = ''): string[] {
  if (value === undefined || value === '') return [];
  if (isSecret(schema)) return [path];
  return members(schema, value).flatMap(([name, member, its]) =>
    its === undefined ? [] : secretsIn(its, member, path === '' ? name : `${path}.${name}`),
  );
}

/** Returns a copy of a value in which secrets are asterisks. */
export function masked(schema: TSchema, value: unknown): unknown {
  if (isSecret(schema)) return value === '' || value === undefined ? value : '********';
  if (typeof value !== 'object' || value === null) return value;
  const copy = members(schema, value).map(([name, member, its]) => [
    name,
    its === undefined ? member : masked(its, member),
  ]);
  return Array.isArray(value) ? copy.map(([, member]) => member) : Object.fromEntries(copy);
}

/** Returns the secrets that a schema describes directly, by name. */
function secretMembers(schema: TSchema): string[] {
  const members = Object.entries((schema['properties'] ?? {}) as Record<string, TSchema>);
  return members.filter(([, member]) => isSecret(member)).map(([name]) => name);
}

/** Whether a member names the file of a secret that the schema describes directly. */
export function isSecretFile(schema: TSchema, name: string): boolean {
  return secretMembers(schema).some((secret) => name === `${secret}_file`);
}

/**
 * Puts the content of the files that `x_file` members name into the members `x` of a value, in place. Returns what is wrong,
 * and the file of each secret by its path, given as `metrics.token`.
 */
export function readSecretFiles(schema: TSchema, value: unknown): { issues: Issue[]; files: Map<string, string> } {
  const result = { issues: [] as Issue[], files: new Map<string, string>() };
  fillIn(schema, value, '', result);
  return result;
}

function fillIn(schema: TSchema, value: unknown, path: string, result: ReturnType<typeof readSecretFiles>): void {
  if (typeof value !== 'object' || value === null) return;
  const settings = value as Record<string, unknown>;
  for (const name of secretMembers(schema)) {
    const named = settings[`${name}_file`];
    if (named === undefined) continue;
    try {
      if (settings[name] !== undefined && settings[name] !== '') throw new Error(`stands beside ${name}: set only one`);
      const file = fileOf(named);
      settings[name] = readSecret(file);
      result.files.set(`${path}/${name}`.slice(1).replaceAll('/', '.'), file);
    } catch (error) {
      result.issues.push({ path: `${path}/${name}_file`, message: errorMessage(error) });
    }
    delete settings[`${name}_file`];
  }
  for (const [name, member, its] of members(schema, value))
    if (its !== undefined) fillIn(its, member, `${path}/${name}`, result);
}

function fileOf(named: unknown): string {
  const folder = process.env['CREDENTIALS_DIRECTORY'];
  if (typeof named !== 'string' || !(named.startsWith('/') || named.startsWith(CREDENTIALS)))
    throw new Error(`must be an absolute path, or begin with ${CREDENTIALS}`);
  if (!named.startsWith(CREDENTIALS)) return named;
  if (folder === undefined) throw new Error('names a credential, but systemd has passed none to this process');
  return join(folder, named.slice(CREDENTIALS.length));
}

/** Returns the text of a file without the newline at its end. Throws if others may read it, or if it holds nothing. */
function readSecret(path: string): string {
  const file = openSecret(path);
  try {
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > SECRET_LIMIT_BYTES)
      throw new Error(`names ${path}, which is no file of a secret`);
    const exposure = findExposure(path);
    if (exposure !== undefined) throw new Error(`names ${path}, which ${exposure.problem}: run \`${exposure.remedy}\``);
    const secret = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (secret === '') throw new Error(`names ${path}, which is empty`);
    return secret;
  } finally {
    closeSync(file);
  }
}

function openSecret(path: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe would hold up the start
  } catch (error) {
    throw new Error(`names ${path}, which cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/** Returns a schema in which each secret `x` has a member `x_file` beside it, and none is required. For descriptions. */
export function withSecretFiles(schema: TSchema): TSchema {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((each: TSchema) => withSecretFiles(each)) as unknown as TSchema;
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [name, withSecretFiles(each as TSchema)]),
  );
  const secrets = secretMembers(schema);
  if (secrets.length === 0) return copy as TSchema;
  const files = secrets.map((name) => [
    `${name}_file`,
    { type: 'string', description: `File that holds ${name}: an absolute path, or ${CREDENTIALS}<name>` },
  ]);
  const required = ((schema['required'] ?? []) as string[]).filter((name) => !secrets.includes(name));
  const properties = { ...(copy['properties'] as object), ...Object.fromEntries(files) };
  return { ...copy, required, properties } as object as TSchema;
}
