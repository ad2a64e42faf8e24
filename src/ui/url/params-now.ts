// The parameters as the address bar has them at this moment. After a navigation React may not have drawn yet what the
// router knows; what is changed meanwhile (by a timer, by a second click) must be added to the new ones.
export const paramsNow = () => new URLSearchParams(window.location.search);
