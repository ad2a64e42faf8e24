// The HTTP requests of agents, and those that other nodes forward: read from Node's streams, because ten thousand of
// them wait at a time. Answers are plain text, whose first line says it all.
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { AGENT_HTTP_PATH, MAX_OUTPUT, SESSION_HEADER } from '#/contract/agent-http.ts';
import { log } from '../operation/log.ts';
import { recordRequest } from '../operation/request-log.ts';
import { logFault } from '../store/system-fault.ts';
import { bearerOf } from '../http/bearer.ts';
import { faultBehind, Problem, problemOf, titleOf } from '../http/problem.ts';
import { endWithClient } from '../http/half-open.ts';
import { readBody } from '../http/read-body.ts';
import { setAnswerPolicy, setSecurityHeaders } from '../http/security-headers.ts';
import { stopping } from '../http/traffic.ts';
import type { Traffic } from '../http/traffic.ts';
import type { Answer } from './http-connection.ts';
import { kindOf } from './http-link.ts';
import type { AgentRequest, Forward, HttpLink } from './http-link.ts';

/** Requests between nodes, which prove that they are nodes. */
export interface NodeRequests {
  /** Undefined if that node is gone. */
  ask(
    node: string,
    request: { method: string; path: string; headers: Record<string, string>; body: Buffer; what: string },
    whenGone: AgentRequest['whenGone'],
  ): Promise<{ status: number; headers: IncomingHttpHeaders; body: string } | undefined>;
  /** The headers of the answer; undefined if it was not sent by a node. */
  accept(what: string, headers: IncomingHttpHeaders): Record<string, string> | undefined;
}

export interface AgentRequestsOptions {
  httpLink: HttpLink;
  nodes: NodeRequests | undefined;
  traffic: Traffic;
  isTls: () => boolean;
}

/** Answers the request, if it is one of an agent or of another node on behalf of one. */
export type HandleAgentRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** Where nodes forward requests of agents to. */
const NODE_AGENT_PATH = '/node/agent';
const DEVICE_HEADER = 'muster-device';
/** Largest body of all requests. */
const MOST = MAX_OUTPUT;

const purposeOf = (method: string, path: string, device: string, session: string, body: Buffer) =>
  `agent ${method} ${path} ${device} ${session} ${hash('sha256', body, 'hex')}`;

/** Hands requests to the node that has the session of the agent. */
export const forwardTo =
  (nodes: NodeRequests): Forward =>
  async (node, { seq, session }, { method, path, query, body: read, whenGone }) => {
    const body = method === 'GET' ? Buffer.alloc(0) : await read(MOST);
    const asked = query.size > 0 ? `${path}?${query.toString()}` : path;
    const headers = { [DEVICE_HEADER]: String(seq), [SESSION_HEADER]: String(session) };
    const what = purposeOf(method, asked, String(seq), String(session), body);
    const answer = await nodes.ask(node, { method, path: NODE_AGENT_PATH + asked, headers, body, what }, whenGone);
    if (!answer) return undefined;
    const after = answer.headers['retry-after'];
    return {
      status: answer.status,
      text: answer.body,
      ...(after !== undefined && { headers: { 'Retry-After': after } }),
    };
  };

export function openAgentRequests({ httpLink, nodes, traffic, isTls }: AgentRequestsOptions): HandleAgentRequest {
  const answerAgent = (incoming: IncomingMessage, request: AgentRequest) =>
    httpLink.answer(bearerOf(incoming.headers.authorization ?? ''), request);

  const answerNode = async (incoming: IncomingMessage, outgoing: ServerResponse, request: AgentRequest) => {
    const { url = '', headers } = incoming;
    const [device, session] = [String(headers[DEVICE_HEADER]), String(headers[SESSION_HEADER])];
    const body = request.method === 'GET' ? Buffer.alloc(0) : await request.body(MOST);
    const what = purposeOf(request.method, url.slice(NODE_AGENT_PATH.length), device, session, body);
    const proof = nodes?.accept(what, headers);
    if (!proof) throw new Problem(403, 'This was not sent by a node', 'Check CLUSTER_SECRET.');
    for (const [name, value] of Object.entries(proof)) outgoing.setHeader(name, value);
    return httpLink.answerForNode(
      { seq: Number(device), session: Number(session) },
      { ...request, body: () => Promise.resolve(body) },
    );
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse, base: string) => {
    const begun = performance.now();
    const { method = '', url = '', headers } = incoming;
    const [path = '', query = ''] = url.slice(base.length).split('?', 2);
    const given = headers[SESSION_HEADER];
    const request: AgentRequest = {
      method,
      path,
      query: new URLSearchParams(query),
      session: typeof given === 'string' ? given : undefined,
      body: (limit) => readBody(incoming, { limit, what: 'The body' }),
      whenGone: (gone) => void outgoing.once('close', gone),
    };
    traffic.active += 1;
    let answer: Answer;
    try {
      if (traffic.isStopping) throw stopping();
      answer = await (base === AGENT_HTTP_PATH
        ? answerAgent(incoming, request)
        : answerNode(incoming, outgoing, request));
    } catch (cause) {
      answer = refusalOf(cause);
    }
    traffic.active -= 1;
    recordRequest(
      method,
      `${base}/${kindOf(path) ?? '*'}`,
      answer.status,
      performance.now() - begun,
      firstLine(answer),
    );
    send(incoming, outgoing, answer);
  };

  const send = (incoming: IncomingMessage, outgoing: ServerResponse, { status, text, headers }: Answer) => {
    if (outgoing.destroyed) return;
    setSecurityHeaders(outgoing, isTls());
    setAnswerPolicy(outgoing);
    const body = Buffer.from(text === '' || text.endsWith('\n') || text.startsWith('job ') ? text : `${text}\n`);
    outgoing
      .writeHead(status, {
        ...(status !== 204 && { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Length': body.length }),
        'Cache-Control': 'no-store',
        ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="muster"' }),
        // The rest of the body would be read as the next request.
        ...(!incoming.complete && { Connection: 'close' }),
        ...headers,
      })
      .end(status === 204 ? undefined : body);
  };

  return (incoming, outgoing) => {
    const { url = '' } = incoming;
    const base = [AGENT_HTTP_PATH, ...(nodes ? [NODE_AGENT_PATH] : [])].find((each) => url.startsWith(`${each}/`));
    if (base === undefined) return false;
    // A device waits for its next job for minutes; one that ends its side of the connection has ended itself.
    endWithClient(incoming, outgoing);
    void handle(incoming, outgoing, base);
    return true;
  };
}

const firstLine = ({ status, text }: Answer): string | undefined =>
  status < 400 ? undefined : text.split('\n', 1)[0]?.slice(0, 200);

function refusalOf(cause: unknown): Answer {
  const problem = problemOf(cause);
  const fault = problem ? faultBehind(problem) : cause;
  if (fault !== undefined && problem) logFault('agent requests', fault);
  else if (fault !== undefined) log.error('agent requests', fault);
  if (!problem) return { status: 500, text: `${titleOf(500)}: the log of the service has the error.` };
  const { status, message, detail, headers } = problem;
  return { status, text: `${message}${detail === undefined ? '.' : `: ${detail}`}`, headers };
}
