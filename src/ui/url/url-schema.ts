// The state of a page in its URL, as data: for each part how it is read from the parameters and written to them.
// Anything may be in a link, so what can't be read counts as left out; a default is not written.

/** One part of the state; `name`: its name in the schema, which is that of its parameter unless it has several. */
export interface UrlPart<Value> {
  read: (params: URLSearchParams, name: string) => Value;
  write: (params: URLSearchParams, name: string, value: Value) => void;
}

export interface UrlSchema<State> {
  /** The state where the URL has no value. */
  defaults: State;
  /** The state in a query string. A part that did not change since the last reading is the same object again. */
  read: (search: string | URLSearchParams) => State;
  /** The query string after a change; all other parameters stay. */
  change: (search: string | URLSearchParams, patch: Partial<State>) => string;
}

/** `print`: for a page whose URLs are read by people. */
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

/** A name or id; undefined where there is none. */
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

/** One of these values, in any letter case; `usual` is left out of the URL. */
export function oneOf<const Value extends string | number>(values: readonly Value[]): UrlPart<Value | undefined>;
export function oneOf<const Value extends string | number>(values: readonly Value[], usual: Value): UrlPart<Value>;
export function oneOf<Value extends string | number>(
  values: readonly Value[],
  usual?: Value,
): UrlPart<Value | undefined> {
  return {
    read: (params, name) => {
      const given = params.get(name)?.toLowerCase();
      return values.find((value) => String(value).toLowerCase() === given) ?? usual;
    },
    write: (params, name, value) =>
      put(params, name, value === undefined || value === usual ? undefined : String(value)),
  };
}
