// The frame of the pages before the sign-in.
import { useEffect, useRef, type ReactNode } from 'react';
import { onSession } from '#/api/session.ts';
import classes from './card.module.css';

interface CardProps {
  title: string;
  text?: ReactNode;
  children?: ReactNode;
}

export function Card({ title, text, children }: CardProps) {
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <img src="/favicon.svg" alt="" width="40" height="40" />
        <h1>{title}</h1>
        {text && <p className="dim">{text}</p>}
        {children}
      </div>
    </main>
  );
}

/** Calls back once signed in: a sign-in in any tab signs in this one too. */
export function useSignedIn(onSignedIn: () => void) {
  const latest = useRef(onSignedIn);
  useEffect(() => {
    latest.current = onSignedIn;
  });
  useEffect(
    () =>
      onSession((event) => {
        if (event === 'in') latest.current();
      }),
    [],
  );
}
