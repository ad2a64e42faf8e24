// The state of a page in its URL, as data: how each part is read from the search parameters and written to them. Links may
// hold anything, so an invalid value counts as missing. Defaults are not written.

/** One part of the state. `name` is its name in the schema, and that of its parameter unless it has several. */
export interface UrlPart<Value> {
  read: (params: URLSearchParams, name: string) => Value;
  write: (params: URLSearchParams, name: string, value: Value) => void;
}

export interface UrlSchema<State> {
  /** The state of an empty URL. */
  defaults: State;
  /** Reads the state. Parts that have not changed since the last call are the same objects. */
  read: (search: string | URLSearchParams) => State;
  /** The query string after a change; all other parameters stay. */
  change: (search: string | URLSearchParams, patch: Partial<State>) => string;
}

/** `print` formats the parameters, for pages whose URLs people read. */
export function urlSchema<State extends object>(
  parts: { [Name in keyof State]: UrlPart<State[Name]> },
  print: (params: URLSearchParams) => string = String,
): UrlSchema<State> {
  const names = Object.keys(parts) as (keyof State & string)[];
  const write = <Name extends keyof State & string>(params: URLSearchParams, name: Name, value: State[Name]) => {
    parts[name].write(params, name, value);
    return params;
  };
  const isSame = <Name extends keyof State & string>(name: Name, one: State[Name], other: State[Name]) =>
    typeof one === 'object' &&
    typeof other === 'object' &&
    String(write(new URLSearchParams(), name, one)) === String(write(new URLSearchParams(), name, other));
  const readAll = (search: string | URLSearchParams) => {
    const params = new URLSearchParams(search);
    return Object.fromEntries(names.map((name) => [name, parts[name].read(params, name)])) as State;
  };
  const defaults = readAll('');
  let last = { search: '', state: defaults };
  return {
    defaults,
    read: (search) => {
      const text = String(search);
      if (text === last.search) return last.state;
      const state = readAll(search);
      for (const name of names) if (isSame(name, state[name], last.state[name])) state[name] = last.state[name];
      last = { search: text, state };
      return state;
    },
    change: (search, patch) => {
      const params = new URLSearchParams(search);
      for (const name of names) if (name in patch) write(params, name, patch[name] as State[typeof name]);
      return print(params);
    },
  };
}

function put(params: URLSearchParams, name: string, value: string | undefined): void {
  if (value) params.set(name, value);
  else params.delete(name);
}

export const plainText: UrlPart<string> = { read: (params, name) => params.get(name) ?? '', write: put };

/** A name or id, if there is one. */
export const optional: UrlPart<string | undefined> = {
  read: (params, name) => params.get(name) ?? undefined,
  write: (params, name, value) => {
    if (value === undefined) params.delete(name);
    else params.set(name, value);
  },
};

/** A number above zero. */
export const positive: UrlPart<number | undefined> = {
  read: (params, name) => {
    const value = Number(params.get(name));
    return value > 0 ? value : undefined;
  },
  write: (params, name, value) => put(params, name, value === undefined ? undefined : String(value)),
};

/** One of these values, in any letter case. `fallback` is not written to the URL. */
export function oneOf<const Value extends string | number>(values: readonly Value[]): UrlPart<Value | undefined>;
export function oneOf<const Value extends string | number>(values: readonly Value[], fallback: Value): UrlPart<Value>;
export function oneOf<Value extends string | number>(
  values: readonly Value[],
  fallback?: Value,
): UrlPart<Value | undefined> {
  return {
    read: (params, name) => {
      const given = params.get(name)?.toLowerCase();
      return values.find((value) => String(value).toLowerCase() === given) ?? fallback;
    },
    write: (params, name, value) =>
      put(params, name, value === undefined || value === fallback ? undefined : String(value)),
  };
}
