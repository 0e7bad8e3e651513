C     Old style.
      SUBROUTINE S(N, X)
      INTEGER N
      REAL X(N)
      INTEGER I
      DO 10 I = 1, N
        X(I) = X(I)
     &    + UNKNWN(I)
        CALL F(X)
   10 CONTINUE
      X(1) = 1.0 +
      END
