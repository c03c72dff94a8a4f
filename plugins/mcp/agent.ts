import type { CallToolResult, ReadResourceResult, ServerResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { HttpError } from '../../kernel/errors.ts';
import type { RouteInfo } from '../../kernel/contract/node-info.ts';
import type { Host } from '../../kernel/contract/plugin.ts';
import type { RouteAnswer } from '../../kernel/contract/route-calls.ts';
import { readersLanguage, type Call } from '../../kernel/contract/route-spec.ts';
import type { CallBudget } from './call-budget.ts';
import { isOverview, toResource, resourceUri } from './overview.ts';
import { toFailureResult, toProblem, toResult, answerText, type Problem } from './results.ts';
import { routeInput, isTool, toolName, toTool } from './tools.ts';
import type { McpMessage } from './schema.ts';
import { fail } from './errors.ts';

type Params = NonNullable<McpMessage['params']>;
interface AgentHost extends Pick<Host, 'events' | 'log' | 'node' | 'store'> {
  readonly budget: CallBudget;
}

/** An error of JSON-RPC, for what is wrong with the message rather than with what a tool was asked to do. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
const RESOURCE_NOT_FOUND = -32002;

/** Descriptions by route, made once: most callers see many of the same. */
const described = new WeakMap<RouteInfo, Tool>();

/** The tools and resources of one request: the routes that its account and token open. */
export class Agent {
  readonly #host: AgentHost;
  readonly #call: Call;
  /** The headers that tell what is left of the calls of the account, once one was made. */
  rate: Readonly<Record<string, string>> = {};

  constructor(host: AgentHost, call: Call) {
    this.#host = host;
    this.#call = call;
  }

  /** Rejects with `RpcError`, because the client is told of every other error what it says; a tool that fails is a result. */
  async handle(method: string, params: Params): Promise<ServerResult> {
    try {
      return await this.#answer(method, params);
    } catch (error) {
      if (error instanceof RpcError) throw error;
      this.#host.log.error({ request_id: this.#call.requestId, err: error }, `${method} failed`);
      throw new RpcError(INTERNAL_ERROR, 'Internal error');
    }
  }

  async #answer(method: string, params: Params): Promise<ServerResult> {
    switch (method) {
      case 'tools/list':
        return { tools: this.#usable().filter(isTool).map(descriptionOf) };
      case 'tools/call':
        return this.#callTool(params);
      case 'resources/list':
        return { resources: this.#usable().filter(isOverview).map(toResource) };
      case 'resources/templates/list':
        return { resourceTemplates: [] };
      case 'resources/read':
        return this.#read(params);
      default:
        throw new RpcError(METHOD_NOT_FOUND, 'Method not found');
    }
  }

  #usable(): RouteInfo[] {
    return this.#host.node.calls.usable(this.#call).filter((route) => this.#lacksScope(route) === undefined);
  }

  /** Without an API token, nobody has said that an agent may change anything. */
  #lacksScope({ method, scopes }: RouteInfo): HttpError | undefined {
    if (method === 'GET' || this.#call.session.grant !== undefined) return undefined;
    return fail.scope_required('agents change nothing with the token of a login: use an API token', {
      members: { scope: scopes?.any[0] },
    });
  }

  async #callTool({ name = '', arguments: given = {} }: Params): Promise<CallToolResult> {
    const route = this.#routes().find((each) => isTool(each) && toolName(each) === name);
    if (route === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown tool');
    try {
      return toResult(await this.#ask(route, given));
    } catch (error) {
      return toFailureResult(this.#problem(route, error));
    }
  }

  async #read({ uri = '' }: Params): Promise<ReadResourceResult> {
    const route = this.#routes().find((each) => isOverview(each) && resourceUri(each) === uri);
    if (route === undefined) throw new RpcError(RESOURCE_NOT_FOUND, 'Resource not found');
    try {
      return { contents: [{ uri, mimeType: 'application/json', text: answerText(await this.#ask(route, {})) }] };
    } catch (error) {
      const problem = this.#problem(route, error);
      throw new RpcError(INTERNAL_ERROR, problem.detail, problem);
    }
  }

  /** The routes of this address, those that the caller may not use included: their own gate refuses, and says why. */
  #routes(): RouteInfo[] {
    return this.#host.node.routes().filter(({ address }) => address === this.#call.address);
  }

  /** Asks a route as the client itself would. There is an event for every attempt within the budget, or no attempt. */
  async #ask(route: RouteInfo, given: Readonly<Record<string, unknown>>): Promise<RouteAnswer> {
    const { budget, events, node, store } = this.#host;
    const { account, ip, session } = this.#call;
    this.rate = budget.take(account.id);
    const tool = toolName(route);
    const data = { tool, token_id: session.grant === undefined ? null : session.id };
    await store.write((tx) =>
      events.record(tx, { type: 'mcp.called', account, ip, text: `called the tool ${tool}`, data }),
    );
    const lacking = this.#lacksScope(route);
    if (lacking !== undefined) throw lacking;
    return node.calls.call(this.#call, `${route.method} ${route.paths[0]}`, routeInput(route, given));
  }

  #problem({ plugin, name }: RouteInfo, cause: unknown): Problem {
    const { log, node } = this.#host;
    const { requestId } = this.#call;
    const error =
      cause instanceof HttpError ? cause : fail.internal_error('the request could not be completed', { cause });
    if (error.status === 500)
      log.error({ request_id: requestId, route: `${plugin}.${name}`, err: error.cause ?? error }, error.message);
    return toProblem(error, node.locales.errorTexts(readersLanguage(this.#call, node.locales), error));
  }
}

function descriptionOf(route: RouteInfo): Tool {
  const tool = described.get(route) ?? toTool(route);
  described.set(route, tool);
  return tool;
}
