// Parts of a page whose code loads after the first render. A failed load is reported, whereas React's own `lazy` would take
// the page down.
import { useEffect, useState, type ComponentProps, type ComponentType, type ReactNode } from 'react';
import { useFocusBack } from '#/ui/dialog/use-focus-back.ts';
import { setMissing } from './not-loaded.ts';
import { usePreload } from './use-preload.ts';

type PropsOf<Component> =
  Component extends ComponentType<infer Props> ? (unknown extends Props ? object : Props) : never;

/** The part's own props while it is open; `{}` if it has none. */
interface LateProps<Props> {
  open: Props | false | '' | null | undefined;
}

function lateCode<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Component = ComponentType<PropsOf<Module[Name]>>;
  const late = {
    Component: undefined as Component | undefined,
    fetch: async () => {
      late.Component = (await load())[name] as Component;
    },
  };
  return late;
}

interface PartProps {
  /** Shown while the part is open but not loaded. */
  fallback?: ReactNode;
  /** Load at once and report a failure; by default while the part is open. */
  isUrgent?: boolean;
}

/** A part that its page always renders, open or not, so that it loads before it opens. */
export function lazyPart<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  const late = lateCode(load, name);
  return function LazyPart({
    open,
    fallback = null,
    isUrgent = Boolean(open),
  }: LateProps<PropsOf<Module[Name]>> & PartProps) {
    usePreload(late.fetch, isUrgent);
    if (!open) return null;
    return late.Component ? <late.Component {...open} /> : fallback;
  };
}

/** The same for a dialog. It notes its opener at once, because the focus may move before the code has loaded. */
export function lazyDialog<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  const Part = lazyPart(load, name);
  return function LazyDialog({ open }: LateProps<PropsOf<Module[Name]>>) {
    useFocusBack(Boolean(open));
    return <Part open={open} />;
  };
}

/** A menu that is a plain button until the first click. It starts loading on hover and on focus. */
export function lazyMenu<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  const late = lateCode(load, name);
  const prepare = () => void late.fetch().catch(() => {});
  return function LazyMenu(props: PropsOf<Module[Name]> & { button: ComponentProps<'button'> }) {
    const [isUsed, setUsed] = useState(false);
    const [hasFailed, setFailed] = useState(false);
    useEffect(() => {
      if (isUsed || !hasFailed) return;
      setMissing(late.fetch, true);
      return () => setMissing(late.fetch, false);
    }, [isUsed, hasFailed]);
    if (isUsed && late.Component) return <late.Component {...props} />;
    const onClick = () =>
      void late.fetch().then(
        () => setUsed(true),
        () => setFailed(true),
      );
    return <button {...props.button} type="button" onClick={onClick} onPointerEnter={prepare} onFocus={prepare} />;
  };
}
