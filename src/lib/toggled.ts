// Sets in React state, where each change makes a new set.

/** A copy with or without the member; without `isIn`, it is toggled. */
export function toggled<Member>(set: ReadonlySet<Member>, member: Member, isIn = !set.has(member)): Set<Member> {
  const next = new Set(set);
  if (isIn) next.add(member);
  else next.delete(member);
  return next;
}
